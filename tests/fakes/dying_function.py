"""Handler whose process ends with its import."""

import os

os._exit(3)
