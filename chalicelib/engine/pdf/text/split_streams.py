"""Texts of objects and contents of streams, told apart."""

import re
from typing import Final

# In place of the content of a stream; a file with these bytes elsewhere is not plain.
STREAM_MARK: Final = b"\xff\x00\xfe\x00\xfd"
_STREAM_LENGTH: Final = re.compile(rb"/Length ([0-9]{1,10})\b(?! [0-9]+ R)")
_STREAM_BEGIN: Final = re.compile(rb"stream\r?\n")
_STREAM_END: Final = re.compile(rb"\s{0,2}endstream\b")


def split_streams(objects: bytes) -> tuple[bytes, list[bytes]] | None:
    """Return the texts, with a mark for the content of each stream, and the contents.

    None if it is not clear where a stream ends.
    """
    if STREAM_MARK in objects:
        return None
    texts, streams, at = list[bytes](), list[bytes](), 0
    while True:
        begin = _STREAM_BEGIN.search(objects, at)
        if begin is None:
            break
        dictionary_at = objects.rfind(b" 0 obj", at, begin.start())
        length = _STREAM_LENGTH.search(objects, max(dictionary_at, at), begin.start())
        if dictionary_at < 0 or length is None:
            return None
        content_end = begin.end() + int(length[1])
        end = _STREAM_END.match(objects, content_end)
        if end is None:
            return None
        texts.append(objects[at : begin.end()])
        streams.append(objects[begin.end() : content_end])
        # Not within the word, which would be taken for the begin of a stream.
        texts[-1] += STREAM_MARK + objects[content_end : end.end()]
        at = end.end()
    texts.append(objects[at:])
    return b"".join(texts), streams
