"""Template process with a share of its processor time, so that slow templates end sooner."""

import sys

from chalicelib.engine.sandbox import limits
from chalicelib.engine.templating import child

SHARE = 5

if __name__ == "__main__":
    limits.CPU_S /= SHARE  # type: ignore[misc]
    child.main(int(sys.argv[1]))
