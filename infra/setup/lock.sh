#!/bin/sh
# Write the lock files, with hashes for every file and without an index or a host (decision 1).
set -eu
cd "$(dirname "$0")/../.."

pin() { .platen/tools/bin/uv pip compile --quiet --generate-hashes --no-emit-index-url --no-header --no-annotate "$@"; }

compile() { pin --python-platform x86_64-manylinux_2_28 --python-version 3.13 "$@"; }

# Requirements of the functions: a subset of the tested ones, in the same versions.
deployed() { compile pyproject.toml -c requirements-dev.txt "$@"; }

compile pyproject.toml --extra aws --extra api --extra egress --extra engine --extra pdf_tools --extra sealing --extra sftp --extra local --extra build --extra dev -o requirements-dev.txt
# Packages that only Chalice's command line or cffi's compiler needs are left out.
deployed --extra aws --extra api --extra sealing -o requirements.txt --no-emit-package pycparser \
    --no-emit-package blessed --no-emit-package click --no-emit-package editor --no-emit-package inquirer --no-emit-package jinxed \
    --no-emit-package packaging --no-emit-package pip --no-emit-package pyyaml --no-emit-package readchar \
    --no-emit-package runs --no-emit-package setuptools --no-emit-package wcwidth --no-emit-package wheel --no-emit-package xmod
deployed --extra egress --extra engine -o infra/package/requirements-engine.txt
deployed --extra egress --extra engine --extra pdf_tools -o infra/package/requirements-pdf-tools.txt
deployed --extra aws --extra egress --extra sealing -o infra/package/requirements-small.txt --no-emit-package pycparser
deployed --extra aws --extra egress --extra sealing --extra sftp -o infra/package/requirements-storage.txt --no-emit-package pycparser
# What an image of the service on one own server has.
deployed --extra aws --extra api --extra egress --extra engine --extra pdf_tools --extra sealing --extra sftp --extra local --extra build \
    -o infra/serve/requirements.txt
compile infra/deploy/awscli-requirements.in -o infra/deploy/awscli-requirements.txt
compile infra/local/localstack-requirements.in -o infra/local/localstack-requirements.txt
compile infra/local/ministack-requirements.in -o infra/local/ministack-requirements.txt
compile infra/guides/site/properdocs-requirements.in -o infra/guides/site/properdocs-requirements.txt
for tool in uv node go java csharp; do
    compile "infra/setup/requirements/$tool.in" -o "infra/setup/requirements/$tool.txt"
done
# The one that an older Python installs.
pin infra/setup/requirements/maven.in -o infra/setup/requirements/maven.txt --universal --python-version 3.9
# A package with OpenSSL 1.1, of which no file is for a newer Python.
pin infra/setup/requirements/openssl.in -o infra/setup/requirements/openssl.txt --python-platform x86_64-manylinux_2_28 --python-version 3.10
