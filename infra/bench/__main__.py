"""`make bench NAME=x`: command line of the benchmarks; without a name it lists them."""

import argparse
import sys

from infra.bench.parts import Parts
from infra.bench.registry import MODULES, run, summary


def main() -> int:
    """Run one benchmark and return its exit status: 1 when a limit is not kept."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("name", nargs="?", choices=MODULES)
    parser.add_argument("--smoke", action="store_true", help="show in seconds that it runs")
    arguments = parser.parse_args()
    if arguments.name is None:
        for name in MODULES:
            print(f"{name:<14} {summary(name)}")
        return 0
    with Parts() as parts:
        report = run(arguments.name, parts, is_smoke=arguments.smoke)
    return int(not report.is_kept and not arguments.smoke)


if __name__ == "__main__":
    sys.exit(main())
