"""The command line of the local stack."""

from infra.local.cli import main

if __name__ == "__main__":
    main()
