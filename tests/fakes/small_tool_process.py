"""Worker process of PDF tools with a tenth of its memory: less growth is enough to end it."""

import sys

from chalicelib.engine.pdf_tools.run import worker

SHARE = 10

if __name__ == "__main__":
    worker._MEMORY_BYTES //= SHARE  # type: ignore[misc]
    worker.main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
