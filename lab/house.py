#!/usr/bin/env python3
"""Measures the structure of the workspace and prints it as a Markdown table.

    lab/house.py            print the tables
    lab/house.py --write    put them between the markers `house` of ARCHITECTURE.md
    lab/house.py --check    exit 1 when a crate imports upwards or a cycle of modules is too large
    lab/house.py --cycles   list every cycle and the imports that close it

A module graph is taken per folder: its nodes are the modules of that folder (a folder inside it is one node, with all that it
holds), its edges are the paths `crate::…`, `super::…` and `self::…` of their code, followed through re-exports to the module
that defines the item. A module and its own submodules are one thing and give no edge. Code under `#[cfg(test)]` does not count.
"""

import argparse
import re
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ROOT / "crates" / "floors.toml"
PAGE = ROOT / "ARCHITECTURE.md"
MARKERS = ("<!-- house -->", "<!-- /house -->")
LARGEST_CYCLE = 3
# Crates that are about one engine, in which a match on the engine is no fork of a general path.
ENGINE_CRATES = {"workload", "engine", "simulate", "reference-store", "mysql", "store", "kvserver", "raftstore"}


# --- source text ------------------------------------------------------------------------------------------------------------

TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"|'(?:\\.[^']*|[^'\\])'""", re.S
)
TEST_ITEM = re.compile(r"#\[cfg\((?:test|all\(test\b[^]]*)\)\]\s*(?:#\[[^]]*\]\s*)*")


def code_of(text):
    """Returns `text` without comments, literals and items under `#[cfg(test)]`."""
    text = TOKEN.sub(lambda found: '""' if '"' in found.group() else " ", text)
    while found := TEST_ITEM.search(text):
        text = text[: found.start()] + text[item_end(text, found.end()) :]
    return text


def item_end(text, at):
    """Returns the offset after the item that begins at `at`: its semicolon, or its closing brace."""
    depth = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char in "{([":
            depth += 1
        elif char in "})]":
            depth -= 1
            if depth == 0 and char == "}":
                return at
        elif char == ";" and depth == 0:
            return at
    return at


def blocks(code, head):
    """Yields (match, body) of each item whose head matches, body being what its braces hold."""
    for found in re.finditer(head, code):
        opening = code.find("{", found.end())
        if opening >= 0:
            yield found, code[opening + 1 : item_end(code, opening) - 1]


# --- crates -----------------------------------------------------------------------------------------------------------------


class Crate:
    """A package of the workspace: its place, its manifest, and the code of its `src`."""

    def __init__(self, folder, floor):
        self.folder, self.floor = folder, floor
        self.name = folder.name
        self.manifest = tomllib.loads((folder / "Cargo.toml").read_text())
        files = sorted((folder / "src").rglob("*.rs"))
        self.files = {path: path.read_text() for path in files}
        self.lines = sum(text.count("\n") for text in self.files.values())
        self._code = None

    @property
    def code(self):
        """Code of each file."""
        if self._code is None:
            self._code = {path: code_of(text) for path, text in self.files.items()}
        return self._code

    def dependencies(self):
        """Names under which the manifest lists what the library or program is built from."""
        tables = [self.manifest.get("dependencies", {}), self.manifest.get("build-dependencies", {})]
        for target in self.manifest.get("target", {}).values():
            tables.append(target.get("dependencies", {}))
        return [name for table in tables for name in table]


def read_floors():
    """Returns the floors, ground floor first, as (name, crates lowest first)."""
    return [(floor["name"], floor["crates"]) for floor in tomllib.loads(FLOORS.read_text())["floor"]]


def read_crates():
    """Returns every crate of crates/ and lab/."""
    crates = []
    for manifest in sorted([*ROOT.glob("crates/*/Cargo.toml"), *ROOT.glob("crates/*/*/Cargo.toml"), *ROOT.glob("lab/*/Cargo.toml")]):
        folder = manifest.parent
        top = folder.parent.name
        crates.append(Crate(folder, folder.name if top == "crates" else top))
    return crates


def layering_faults(crates, floors):
    """Returns a line for each import that runs up, and for each crate that no floor lists."""
    place = {}
    for storey, (floor, names) in enumerate(floors):
        for position, name in enumerate(names):
            place[floor, name] = (storey, position)
    members = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["dependencies"]
    folders = {name: ROOT / spec["path"] for name, spec in members.items() if isinstance(spec, dict) and "path" in spec}
    at = {crate.folder: (crate.floor, crate.name) for crate in crates}
    faults = []
    for crate in crates:
        if crate.floor == "lab":
            continue
        own = place.get((crate.floor, crate.name))
        if own is None:
            faults.append(f"{crate.floor}/{crate.name} is in no floor of crates/floors.toml")
            continue
        for name in crate.dependencies():
            if name not in folders:
                continue
            floor, used = at[folders[name]]
            if floor == "lab":
                faults.append(f"{crate.floor}/{crate.name} imports lab/{used}")
            elif (floor, used) in place and place[floor, used] >= own:
                faults.append(f"{crate.floor}/{crate.name} imports {floor}/{used}, which does not stand below it")
    return faults


# --- modules ----------------------------------------------------------------------------------------------------------------

MODULE = re.compile(r"\bmod\s+(\w+)\s*;")
USE = re.compile(r"(\bpub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);")
INLINE = re.compile(r"\b(?:crate|super|self)(?:\s*::\s*\w+)+")


def expand(tree):
    """Yields (path, name) of each leaf of a `use` tree; the name of a glob is `*`."""
    tree = tree.strip()
    if tree.startswith("::"):
        return  # Another crate, whatever a module here is called.
    brace = tree.find("{")
    if brace >= 0:
        prefix = tree[:brace].strip().rstrip(":")
        depth, start, inner = 0, 0, tree[brace + 1 : tree.rfind("}")]
        for at, char in enumerate(inner + ","):
            if char == "{":
                depth += 1
            elif char == "}":
                depth -= 1
            elif char == "," and depth == 0:
                part = inner[start:at]
                start = at + 1
                if part.strip():
                    yield from ((split(prefix) + path, name) for path, name in expand(part))
        return
    path, _, alias = tree.partition(" as ")
    path = split(path)
    if path and path[-1] == "self":
        path = path[:-1]
    yield path, alias.strip() or (path[-1] if path else "self")


def split(path):
    return [segment.strip() for segment in path.split("::") if segment.strip()]


class Modules:
    """The modules of a crate, as tuples of names; the root is the empty tuple."""

    def __init__(self, crate):
        self.code, self.children, self.exports, self.globs = {}, defaultdict(set), defaultdict(dict), defaultdict(list)
        for root in ("lib.rs", "main.rs"):
            path = crate.folder / "src" / root
            if path in crate.files:
                self._read(crate, path, ())
                break

    def _read(self, crate, path, module):
        code = crate.code[path]
        self.code[module] = code
        folder = path.parent if path.name in ("lib.rs", "main.rs", "mod.rs") else path.with_suffix("")
        for found in MODULE.finditer(code):
            name = found.group(1)
            for candidate in (folder / f"{name}.rs", folder / name / "mod.rs"):
                if candidate in crate.files:
                    self.children[module].add(name)
                    self._read(crate, candidate, (*module, name))
        for found in USE.finditer(code):
            for target, name in expand(found.group(2)):
                if name == "*" or (target and target[-1] == "*"):
                    self.globs[module].append(target[:-1])
                else:
                    self.exports[module][name] = target

    def paths(self, module):
        """Yields every path of the module's code that starts at the crate, a parent, or itself."""
        code = self.code[module]
        for found in USE.finditer(code):
            yield from (path for path, _ in expand(found.group(2)))
        yield from (split(found.group()) for found in INLINE.finditer(USE.sub(" ", code)))

    def resolve(self, module, path, depth=0):
        """Returns the module that defines what `path`, written in `module`, names; None when it is outside of the crate."""
        path = list(path)
        if not path or depth > 12:
            return None
        head = path[0]
        if head == "crate":
            at, path = (), path[1:]
        elif head in ("super", "self"):
            at = module
            while path and path[0] in ("super", "self"):
                if path.pop(0) == "super":
                    at = at[:-1]
        elif head in self.children[module]:
            at = module
        else:
            return None
        while path:
            name = path[0]
            if name in self.children[at]:
                at, path = (*at, name), path[1:]
                continue
            if name in self.exports[at]:
                target = self.resolve(at, [*self.exports[at][name], *path[1:]], depth + 1)
                return at if target is None else target
            for glob in self.globs[at]:
                target = self.resolve(at, [*glob, name], depth + 1)
                if target not in (None, at) and re.search(rf"\b(?:struct|enum|trait|type|union|fn|const|static)\s+{name}\b", self.code[target]):
                    return target
            return at
        return at

    def edges(self):
        """Returns, by folder, the edges between its modules: (from, to) and what makes each."""
        graphs = defaultdict(lambda: defaultdict(set))
        for module in self.code:
            for path in self.paths(module):
                target = self.resolve(module, path)
                if target is None:
                    continue
                level = 0
                while level < min(len(module), len(target)) and module[level] == target[level]:
                    level += 1
                if level < min(len(module), len(target)):
                    graphs[module[:level]][module[level], target[level]].add(f"{'/'.join(module)}: {'::'.join(path)}")
        return graphs


def components(edges):
    """Strongly connected components of more than one node, largest first (Tarjan 1972)."""
    after = defaultdict(list)
    for source, target in edges:
        after[source].append(target)
    order, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        on_stack.add(node)
        for target in after.get(node, []):
            if target not in order:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in on_stack:
                low[node] = min(low[node], order[target])
        if low[node] == order[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
                on_stack.discard(component[-1])
            if len(component) > 1:
                found.append(sorted(component))

    for node in list(after):
        if node not in order:
            visit(node)
    return sorted(found, key=len, reverse=True)


def cycles(crate):
    """Returns (folder, modules of the cycle, edges of the folder) of each cycle inside the crate, largest first."""
    found = []
    for folder, edges in Modules(crate).edges().items():
        found += [("/".join(folder), component, edges) for component in components(edges)]
    return sorted(found, key=lambda cycle: len(cycle[1]), reverse=True)


# --- names, errors, settings ------------------------------------------------------------------------------------------------

PUBLIC_TYPE = re.compile(r"^\s*pub\s+(?:unsafe\s+)?(?:struct|enum|trait|union|type)\s+(\w+)", re.M)


def public_types(crates):
    """Names of all public types, one for each definition."""
    return [name for crate in crates for code in crate.code.values() for name in PUBLIC_TYPE.findall(code)]


def string_variants(crate):
    """Number of error variants that hold one `String` and nothing to match on."""
    head = r"#\[derive\([^)]*\bError\b[^)]*\)\](?:\s*#\[[^]]*\])*\s*(?:pub(?:\([^)]*\))?\s+)?enum\s+\w+"
    return sum(len(re.findall(r"\b[A-Z]\w*\(String\)", body)) for code in crate.code.values() for _, body in blocks(code, head))


def count(crates, pattern):
    """Number of matches of the pattern in the code of the crates."""
    return sum(len(re.findall(pattern, code)) for crate in crates for code in crate.code.values())


def profile_lines():
    """Number of settings in the Cargo profiles."""
    lines, inside = 0, False
    for line in (ROOT / "Cargo.toml").read_text().splitlines():
        if line.startswith("["):
            inside = line.startswith("[profile")
        elif inside and "=" in line and not line.startswith("#"):
            lines += 1
    return lines


# --- the page ---------------------------------------------------------------------------------------------------------------


def share(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.0f} %)" if whole else "none"


def tables(crates, floors):
    """Returns the Markdown of both tables: the house as a whole, and its crates by floor."""
    product = [crate for crate in crates if crate.floor != "lab"]
    types = public_types(crates)
    times = Counter(types)
    shared = sum(number for number in times.values() if number > 1)
    one_word = sum(1 for name in types if re.fullmatch(r"[A-Z][a-z0-9]*", name))
    outside = [crate for crate in product if crate.name not in ENGINE_CRATES]
    engine_lines = sum(
        1 for crate in outside for code in crate.code.values() for line in code.splitlines() if re.search(r"\b\w+::(?:TiKv|InnoDb)\b", line)
    )
    largest = {crate.folder: cycles(crate)[:1] for crate in crates}
    worst = max((len(found[0][1]) for found in largest.values() if found), default=0)
    command_line = sum(crate.lines for crate in crates if crate.floor == "cli")
    rows = [
        ("crates", len(crates)),
        ("lines of `src`", f"{sum(crate.lines for crate in crates):,}"),
        ("imports between crates that run up", len(layering_faults(crates, floors))),
        ("modules in the largest cycle inside a crate", worst or "no cycle"),
        ("public types that share their name", share(shared, len(types))),
        ("public types of one word", share(one_word, len(types))),
        ("lines that name an engine outside the engine crates", engine_lines),
        ("lines of `crates/cli/src`", f"{command_line:,}"),
        ("`Result<_, String>`", count(crates, r"Result<[^;{=]*?,\s*String>")),
        ("error variants of one `String`", sum(string_variants(crate) for crate in crates)),
        ("settings in Cargo profiles", profile_lines()),
    ]
    page = ["| measure | value |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows), ""]
    page += ["| floor | crate | files | lines | largest cycle |", "|---|---|---|---|---|"]
    order = [(floor, name) for floor, names in reversed(floors) for name in reversed(names)]
    by_place = {(crate.floor, crate.name): crate for crate in crates}
    order += sorted(place for place in by_place if place not in order)
    before = None
    for floor, name in order:
        crate = by_place.get((floor, name))
        if crate is None:
            continue
        found = largest[crate.folder]
        cycle = f"{len(found[0][1])}: {', '.join(found[0][1])}" if found else "–"
        page.append(f"| {floor if floor != before else ''} | `{name}` | {len(crate.files)} | {crate.lines:,} | {cycle} |")
        before = floor
    return "\n".join(page)


def write(text):
    """Puts the tables between the markers of ARCHITECTURE.md, at its end when it has none."""
    page = PAGE.read_text()
    if MARKERS[0] not in page:
        page = f"{page.rstrip()}\n\n## The house in numbers\n\n{MARKERS[0]}\n{MARKERS[1]}\n"
    before, rest = page.split(MARKERS[0], 1)
    after = rest.split(MARKERS[1], 1)[1]
    PAGE.write_text(f"{before}{MARKERS[0]}\nMade by `lab/house.py --write`.\n\n{text}\n{MARKERS[1]}{after}")


def check(crates, floors):
    """Prints each fault of the structure; returns whether there is none."""
    faults = layering_faults(crates, floors)
    for crate in crates:
        for folder, component, _ in cycles(crate):
            if len(component) > LARGEST_CYCLE:
                inside = f" in {folder}" if folder else ""
                faults.append(f"{crate.floor}/{crate.name}{inside}: a cycle of {len(component)} modules: {', '.join(component)}")
    for fault in faults:
        print(fault, file=sys.stderr)
    return not faults


def print_cycles(crates):
    """Prints every cycle with the imports that close it."""
    for crate in crates:
        for folder, component, edges in cycles(crate):
            print(f"{crate.floor}/{crate.name} {folder or 'src'}: {', '.join(component)}")
            for (source, target), why in sorted(edges.items()):
                if source in component and target in component:
                    print(f"    {source} -> {target}: {'; '.join(sorted(why))}")


def main():
    parser = argparse.ArgumentParser(description="Structure of the workspace, as Markdown tables.")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--write", action="store_true", help="write the tables into ARCHITECTURE.md")
    choice.add_argument("--check", action="store_true", help="exit 1 on an import that runs up or a large cycle")
    choice.add_argument("--cycles", nargs="*", metavar="CRATE", help="list the cycles, of these crates or of all")
    options = parser.parse_args()
    crates, floors = read_crates(), read_floors()
    if options.check:
        sys.exit(0 if check(crates, floors) else 1)
    if options.cycles is not None:
        print_cycles([crate for crate in crates if not options.cycles or crate.name in options.cycles])
    elif options.write:
        write(tables(crates, floors))
    else:
        print(tables(crates, floors))


if __name__ == "__main__":
    main()
