#!/bin/sh
# Writes the lock files: hashes for every file, no index and no host named.
set -eu
cd "$(dirname "$0")/../.."

compile() {
    .platen/tools/bin/uv pip compile --quiet --python-platform x86_64-manylinux_2_28 --python-version 3.13 \
        --generate-hashes --no-emit-index-url --no-header --no-annotate "$@"
}

compile pyproject.toml -o requirements.txt
compile pyproject.toml --extra local --extra dev -c requirements.txt -o requirements-dev.txt
compile infra/local/localstack-requirements.in -o infra/local/localstack-requirements.txt
compile infra/setup/uv-requirements.in -o infra/setup/uv-requirements.txt
