#!/usr/bin/env bash
# Tries each way to install diskwright, from nothing to an answer of `diskwright plan` in one command, and prints its time. The
# first argument is the folder of `make dist`; the others name the ways, all without. Wants root for the .deb, which it installs and purges; PYTHON_TOOLS is a folder of Python with
# what .ci/pinned/python.txt names.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
dist=$(realpath "$1")
: "${CARGO:=cargo}" "${PYTHON_TOOLS:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
example=$repository/examples/tpcc-5000.toml
report=()

fail() {
    echo "dist-test: $*" >&2
    exit 1
}

# timed NAME FUNCTION: runs it, and keeps what it took.
timed() {
    local begun ended
    begun=$(date +%s.%N)
    echo "== $1"
    "$2"
    ended=$(date +%s.%N)
    report+=("$(printf '%-16s %6.1f s' "$1" "$(awk "BEGIN { print $ended - $begun }")")")
}

# answers PROGRAM: it plans the example.
answers() {
    "$1" plan "$example" | head -3 | tee "$work/answer"
    grep -q '^The cheapest deployment costs ' "$work/answer" || fail "$1 gives no plan"
}

checksums() {
    (cd "$dist" && sha256sum --check --quiet SHA256SUMS)
}

tarball() {
    mkdir "$work/tarball"
    tar --extract --file "$dist"/diskwright-*-linux.tar.gz --directory "$work/tarball" --strip-components=1
    answers "$work/tarball/diskwright"
    local size
    size=$(stat --format=%s "$work/tarball/diskwright")
    echo "the program takes $((size / 1000000)) MB"
    [ "$size" -lt 35000000 ] || fail "the program takes $size bytes: 35 MB are the limit"
    local commit
    if commit=$(git rev-parse --short=12 HEAD 2>/dev/null) && [ -z "$(git status --porcelain --untracked-files=no)" ]; then
        "$work/tarball/diskwright" --version | grep -q "($commit " || fail "--version does not tell the commit $commit"
    fi
}

# From a fresh clone it builds everything; here it finds that made.
cargo_install() {
    $CARGO install --quiet --path crates/cli --locked --root "$work/cargo"
    answers "$work/cargo/bin/diskwright"
}

# Everything that the package could leave behind.
left_behind() {
    find / -xdev \( -path /proc -o -path "$repository" -o -path "$work" -o -path "$dist" -o -path "${CARGO_TARGET_DIR:-/nowhere}" \
        -o -path /var/lib/dpkg -o -path /var/log -o -path /var/cache -o -path /root -o -path /tmp -o -path /home \) -prune \
        -o -name '*diskwright*' -print | sort
    getent passwd diskwright-pilot || true
}

deb() {
    if [ "$(id -u)" != 0 ]; then
        echo "not tried: installing a .deb wants root"
        return
    fi
    dpkg-query --status diskwright >/dev/null 2>&1 && fail "diskwright is installed: purge it first"
    left_behind >"$work/before"
    dpkg --install "$dist"/diskwright_*.deb
    (cd / && answers /usr/bin/diskwright)
    # Every verb has its page, which man sets without a warning.
    man --warnings --where diskwright diskwright-plan diskwright-pilot-run >/dev/null
    [ -z "$(MANPATH=/usr/share/man man --warnings diskwright-plan 2>&1 >/dev/null)" ] || fail "man warns of diskwright-plan"
    bash -c 'source /usr/share/bash-completion/completions/diskwright && complete -p diskwright' >/dev/null
    [ -s /usr/share/zsh/vendor-completions/_diskwright ] || fail "zsh has no completions"
    [ -s /usr/share/fish/vendor_completions.d/diskwright.fish ] || fail "fish has no completions"
    if command -v systemd-analyze >/dev/null; then
        systemd-analyze verify diskwright-pilot.service
    fi
    [ "$(stat --format=%a:%U /etc/diskwright/pilot.conf)" = 600:root ] || fail "pilot.conf can be read by others"
    getent passwd diskwright-pilot >/dev/null || fail "the pilot has no user"
    # A changed conffile stays until the package is purged.
    echo '# mine' >>/etc/diskwright/pilot.conf
    dpkg --remove diskwright
    grep -q '^# mine' /etc/diskwright/pilot.conf || fail "a changed pilot.conf went with the program"
    dpkg --purge diskwright
    left_behind >"$work/after"
    diff "$work/before" "$work/after" || fail "the package leaves something behind"
}

wheel() {
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps "$dist"/diskwright-*.whl
    (cd "$work" && answers "$work/venv/bin/diskwright")
    (cd "$work" && venv/bin/python -c "
import diskwright
answer = diskwright.plan('$example')
print(answer.plans[0].monthly_usd, answer.plans[0].bottleneck, diskwright.program())
assert str(diskwright.program()).startswith('$work/venv/')")
    # Its module's tests, with the program of the wheel.
    (cd packaging/python/tests && PYTHONDONTWRITEBYTECODE=1 DISKWRIGHT="$work/venv/bin/diskwright" \
        "$work/venv/bin/python" -m unittest test_module)
}

notebook() {
    "$PYTHON_TOOLS/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$dist"/diskwright-*.whl
    (cd "$work" && "$PYTHON_TOOLS/bin/python" "$repository/packaging/python/tests/run_notebook.py" \
        "$repository/packaging/python/tests/timeline.ipynb" "$repository/examples")
}

images() {
    local builder=
    for candidate in podman docker; do
        if "$candidate" info >/dev/null 2>&1; then
            builder=$candidate
            break
        fi
    done
    if [ -z "$builder" ]; then
        echo "not tried: neither podman nor a running docker is here"
        return
    fi
    "$builder" build --file packaging/Containerfile --target pilot --tag diskwright-dist-test .
    "$builder" run --rm --volume "$repository/examples:/work:ro" diskwright-dist-test plan tpcc-5000.toml | head -3
}

shift
[ $# -gt 0 ] || set -- checksums tarball deb wheel notebook images cargo_install
for way in "$@"; do
    timed "$way" "$way"
done
echo
printf '%s\n' "${report[@]}"
