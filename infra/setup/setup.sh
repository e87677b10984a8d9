#!/bin/sh
# Check the prerequisites (make, npm, Python 3.13), print an install command for each missing one,
# and start the set-up in Python. With --tests it installs what only tests need, too.
set -u
cd "$(dirname "$0")/../.." || exit 1

# Fast path: usually there is nothing to do.
if [ -x .venv/bin/python ] && .venv/bin/python -E -S -m infra.setup --done "$@" 2>/dev/null; then exit 0; fi

works() { "$@" -c 'import sys, venv, ensurepip, ssl, sqlite3; sys.exit(sys.version_info[:2] != (3, 13))' >/dev/null 2>&1; }

# Each candidate is run: version managers put shims on the path that fail.
find_python() {
    if works .venv/bin/python; then echo .venv/bin/python; return; fi
    for candidate in python3.13 python3 python; do
        if works "$candidate"; then command -v "$candidate"; return; fi
    done
    if command -v pyenv >/dev/null 2>&1; then
        for version in $(pyenv versions --bare 2>/dev/null | grep '^3\.13' | sort -rV); do
            candidate="$(pyenv prefix "$version" 2>/dev/null)/bin/python"
            if works "$candidate"; then echo "$candidate"; return; fi
        done
    fi
    if command -v uv >/dev/null 2>&1; then
        candidate="$(uv python find --no-python-downloads 3.13 2>/dev/null)"
        if [ -n "$candidate" ] && works "$candidate"; then echo "$candidate"; return; fi
    fi
    for candidate in /opt/python3.13/bin/python3.13 /usr/local/bin/python3.13 "$HOME"/.local/bin/python3.13; do
        if works "$candidate"; then echo "$candidate"; return; fi
    done
}

absent=0
missing() { echo "missing: $1 -- install it with: $2" >&2; absent=1; }

case "$(uname -s) $(uname -m)" in
    "Linux x86_64") ;;
    *) echo "Platen's local stack runs on Linux x86_64, not on $(uname -s) $(uname -m)" >&2; exit 1 ;;
esac
command -v make >/dev/null 2>&1 || missing make "sudo apt-get install make"
npm --version >/dev/null 2>&1 || missing npm "sudo apt-get install nodejs npm"
python="$(find_python)"
if [ -z "$python" ]; then
    if command -v python3.13 >/dev/null 2>&1 && python3.13 -c '' >/dev/null 2>&1; then
        missing "the venv module of Python 3.13" "sudo apt-get install python3.13-venv"
    else
        missing "Python 3.13" "sudo apt-get install python3.13 python3.13-venv, or: pyenv install 3.13, or: uv python install 3.13"
    fi
fi
[ "$absent" -eq 0 ] || exit 1
exec "$python" -E -m infra.setup "$@"
