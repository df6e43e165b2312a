#!/usr/bin/env python3
"""Checks spelling and style of what people read: README, docs without results, help texts.

    lab/prose.py [--codespell PROGRAM]    exit 1 with file and line of each fault

Words that the glossary has are known to the speller. Retired words are those that the field does not use; each names what it says.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md"]
GLOSSARY = ROOT / "docs/reference/glossary.md"

# Patterns, and what to write in their place.
RETIRED = [
    (r"\bso (many|much)\b", "name the number, or `this many`"),
    (r"\b(is|are|was|were) told\b", "reported, printed, stated"),
    (r"\bwhoever\b", "name the reader"),
    (r"\breckon(ed|s)?\b", "computed, estimated"),
    (r"\bwish(es|ed)?\b", "requested, wanted"),
    (r"\bdeeds?\b", "action, step"),
    (r"\bowed\b", "due"),
    (r"\bsaid of\b", "stated for"),
    (r"\bheld against\b", "compared with"),
    (r"\bgives first\b", "is the bottleneck"),
    (r"\bcome and are carried\b", "offered and served"),
    (r"\bholds? up\b(?! (requests|operations|writers))", "delays, binds"),
    (r"\bmust needs\b|\bthereof\b|\bwherein\b|\bhereof\b", "plain words"),
]
# Sentences that begin so have no subject at their head.
OPENINGS = re.compile(r"^(Of|Those|What|Who|Whose) (?![A-Z`0-9]+\b.*\?$)")


def pages():
    """Returns every page that is checked."""
    found = [ROOT / name for name in PAGES]
    for folder in ("docs/guide", "docs/reference", "docs/design"):
        found += sorted((ROOT / folder).glob("*.md"))
    return found + [ROOT / "docs/README.md"]


def prose(text):
    """Yields the lines of a page outside code blocks, with their numbers; code spans are blanked."""
    in_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            in_code = not in_code
        elif not in_code:
            yield number, re.sub(r"`[^`]*`", "``", line)


def help_texts():
    """Yields file, number and text of each line that `--help` prints: doc comments of arguments, and texts below them."""
    for path in sorted((ROOT / "crates/cli/src").rglob("*.rs")):
        in_help = False
        lines = path.read_text().splitlines()
        argument = {number for number in range(len(lines)) if is_argument(lines, number)}
        for number, line in enumerate(lines):
            if re.search(r'(after_help|after_long_help|long_about|about|help) = "', line):
                in_help = True
            if in_help or number in argument:
                yield path, number + 1, line.strip().lstrip("/ ")
            if in_help and re.search(r'[^\\]"[,)\]]*$', line):
                in_help = False


def is_argument(lines, number):
    """Tells whether a doc comment belongs to an argument or a verb: clap's attribute or the end of its doc follows."""
    if not lines[number].strip().startswith("///") or not lines[number].startswith("    "):
        return False
    for line in lines[number + 1:]:
        line = line.strip()
        if line.startswith("///"):
            continue
        return line.startswith(("#[arg", "#[command", "#[clap"))
    return False


def style():
    """Yields a message for each retired word."""
    places = [(path, number, line) for path in pages() for number, line in prose(path.read_text())]
    for path, number, line in [*places, *help_texts()]:
        where = f"{path.relative_to(ROOT)}:{number}"
        for pattern, instead in RETIRED:
            found = re.search(pattern, line, re.IGNORECASE)
            if found:
                yield f"{where}: `{found[0]}` is retired: {instead}"
        if OPENINGS.search(line) and not line.endswith("?"):
            yield f"{where}: `{line[:40]}…` begins without its subject"


def known_words():
    """Returns the words of the glossary's terms."""
    terms = re.findall(r"^\|([^|]+)\|", GLOSSARY.read_text(), re.MULTILINE)
    return sorted({word.lower() for term in terms for word in re.findall(r"[A-Za-z]+", term)})


def spelling(codespell):
    """Yields what the speller says."""
    files = [*pages(), *sorted((ROOT / "crates/cli/src").rglob("*.rs"))]
    command = [codespell, "--builtin", "clear,rare", "--ignore-words-list", ",".join(known_words())]
    said = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=False)
    yield from said.stdout.splitlines()
    if said.returncode > 65:
        yield said.stderr


AMERICAN = re.compile(
    r"\b(color|behavior|optimiz|utiliz|analyzes\b|center|license[sd]?\b|favor|honor|serializ|normaliz|summariz|meter\b|gray\b)", re.I
)


def british():
    """Yields words in American spelling."""
    for path in pages():
        for number, line in prose(path.read_text()):
            found = AMERICAN.search(re.sub(r"\[[^]]*\]\([^)]*\)|--\w+", "", line))
            if found:
                yield f"{path.relative_to(ROOT)}:{number}: `{found[0]}` is American; write British"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--codespell", help="the speller; without it only style is checked")
    arguments = parser.parse_args()
    faults = [*style(), *british(), *(spelling(arguments.codespell) if arguments.codespell else [])]
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
