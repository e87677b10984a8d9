"""Child process that breaks the protocol of sandboxed workers; `ROGUE` says how."""

import json
import os
import signal
import struct
import sys
import time

from chalicelib.engine.sandbox import wire


def _message(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


READY = _message(json.dumps({"missing_walls": []}).encode())
GOOD = _message(json.dumps({"recycle": False, "answer": "good"}).encode())
ANSWERS = {
    "twice": GOOD + _message(b'{"recycle": false, "answer": "of another"}'),
    "no_json": _message(b"\xff{"),
    "deep": _message(b"[" * 200_000),
    "list": _message(b"[1]"),
    "negative_size": _message(b'{"content_sizes": [-1]}'),
    "huge_size": _message(b'{"content_sizes": [9000000000]}'),
    "text_size": _message(b'{"content_sizes": "9"}'),
    "huge_body": struct.pack(">I", 0xFFFFFFFF),
    "silent": b"",
}


def stay_after_answer(ends: int) -> None:
    """Fork a child for each request; it answers, and stays to read the next one."""
    os.write(1, READY)
    os.write(ends, b".")
    if os.fork() == 0:
        os.close(ends)
        while wire.receive(lambda size: os.read(0, size)) is not None:
            os.write(1, GOOD)
        os._exit(0)
    os.wait()


def main(how: str) -> None:
    """Say that it is ready, then answer as `how` says, and stay."""
    os.write(1, _message(b'{"missing_walls": 5}') if how == "walls" else READY)
    if how == "stopped":
        os.kill(os.getpid(), signal.SIGSTOP)
    while wire.receive(lambda size: os.read(0, size)) is not None:
        os.write(1, ANSWERS[how])
    time.sleep(60)


if __name__ == "__main__":
    if os.environ["ROGUE"] == "stays":
        stay_after_answer(int(sys.argv[2]))
    else:
        main(os.environ["ROGUE"])
