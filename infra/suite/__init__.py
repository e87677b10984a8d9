"""Runner of all checks and tests: `make check` and `make test` (decision 57)."""
