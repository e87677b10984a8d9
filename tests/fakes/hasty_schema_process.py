"""Process of JSON Schemas with a share of its processor time, so that slow ones end sooner."""

import sys

from chalicelib.engine.schemas import child
from chalicelib.engine.templating import limits

SHARE = 5

if __name__ == "__main__":
    limits.CPU_S /= SHARE  # type: ignore[misc]
    child.main(int(sys.argv[1]))
