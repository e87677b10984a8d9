"""What a worker process writes beside its answers."""

import os
import select
import threading
from collections.abc import Callable
from typing import IO, Final

# More than a pipe holds, so that one read takes whatever was written before it.
_CHUNK: Final = 1 << 20


class Output:
    """The lines of a pipe, handed on by whoever reads them first."""

    def __init__(self, pipe: IO[bytes], log: Callable[[str], None]) -> None:
        """Take over an unbuffered pipe; `log` gets each line, one at a time."""
        os.set_blocking(pipe.fileno(), False)
        self._pipe = pipe
        self._log = log
        self._rest = b""
        self._ended = False
        self._lock = threading.Lock()

    def follow(self) -> None:
        """Hand on lines as they come, until nobody can write any more; close the pipe."""
        arrived = select.poll()
        arrived.register(self._pipe, select.POLLIN)
        with self._pipe:
            while not self._ended:
                arrived.poll()
                self.catch_up()

    def catch_up(self) -> None:
        """Return once every line that was written before has been handed on."""
        with self._lock:
            chunk = None if self._ended else self._pipe.read(_CHUNK)
            if chunk is None:
                return
            self._ended = not chunk
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            if self._ended and self._rest:
                lines.append(self._rest)
            for line in lines:
                self._log(line.decode("utf-8", "replace"))
