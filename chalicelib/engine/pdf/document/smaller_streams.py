"""Streams in fewer bytes, without any loss, and what no reader shows removed."""

import base64
import binascii
import re
import zlib
from collections.abc import Callable, Mapping
from typing import Final

import pikepdf

from chalicelib.engine.pdf.document.stream_content import lossless_content
from chalicelib.engine.pdf.document.walk_objects import walk_dictionaries

_FLATE: Final = "/FlateDecode"
# Lossless filters that Flate replaces.
_LOSSLESS: Final = frozenset(
    {"/LZWDecode", "/ASCII85Decode", "/ASCIIHexDecode", "/RunLengthDecode", _FLATE}
)
_BEST: Final = 9
_CHUNK_BYTES: Final = 1 << 20
# A stream that swells to more stays as it is.
_MAX_STREAM_BYTES: Final = 256 << 20
# Blanks that a packet of metadata keeps for changes in place.
_PADDING: Final = re.compile(rb"(?<!\s)\s{64,}+(?=<\?xpacket end=)")
_WHITESPACE: Final = re.compile(rb"\s+")


def remove_private_data(document: pikepdf.Pdf) -> None:
    """Remove private data (ISO 32000-1, 14.5), and small pictures that readers draw anew.

    `/LastModified` is there for private data only.
    """
    for holder in walk_dictionaries(document):
        if "/PieceInfo" in holder:
            del holder["/PieceInfo"]
            if "/LastModified" in holder:
                del holder["/LastModified"]
        if "/Thumb" in holder and holder.get("/Type") == "/Page":
            del holder["/Thumb"]


def make_streams_smaller(document: pikepdf.Pdf) -> None:
    """Write each stream that becomes smaller; one with a filter such as JPEG stays."""
    for stream in document.objects:
        if isinstance(stream, pikepdf.Stream):
            if stream.get("/Type") == "/Metadata":
                # Readers search packets of metadata in the file: they stay readable.
                _shorten_packet(stream)
            else:
                _repack(stream)


def _shorten_packet(stream: pikepdf.Stream) -> None:
    if "/Filter" not in stream:
        packet = stream.read_raw_bytes()
        shorter = _PADDING.sub(b"\n", packet)
        if len(shorter) < len(packet):
            stream.write(shorter)


def _repack(stream: pikepdf.Stream) -> None:
    filters, parameters = _filters(stream)
    if filters and filters[0] == _FLATE:
        # The filters and their predictor stay: only the bytes between are packed better.
        packed = _packed_better(stream.read_raw_bytes())
        if packed is not None:
            _write(stream, packed, filters, parameters)
    elif set(filters) <= _LOSSLESS:
        content = lossless_content(stream)
        if content is not None:
            _write_packed(stream, content, [], [])
    elif filters[0] in _ASCII:
        content = _ASCII[filters[0]](stream.read_raw_bytes())
        if content is not None:
            _write_packed(stream, content, filters[1:], parameters[1:])


type _Parameters = list[pikepdf.Object | None]


def _filters(stream: pikepdf.Stream) -> tuple[list[str], _Parameters]:
    """Return the filters and the parameters of each."""
    filters = [str(each) for each in _as_list(stream.get("/Filter"))]
    parameters: _Parameters = [
        each if isinstance(each, pikepdf.Dictionary) else None
        for each in _as_list(stream.get("/DecodeParms"))
    ]
    return filters, (parameters + [None] * len(filters))[: len(filters)]


def _as_list(entry: object) -> list[object]:
    if entry is None:
        return []
    return list(entry) if isinstance(entry, pikepdf.Array) else [entry]


def _write_packed(
    stream: pikepdf.Stream, content: bytes, filters: list[str], parameters: _Parameters
) -> None:
    """Write the content if it becomes smaller, packed unless another filter did that already."""
    packed = content
    if not filters:
        packed, filters, parameters = zlib.compress(content, _BEST), [_FLATE], [None]
    if len(packed) < len(stream.read_raw_bytes()):
        _write(stream, packed, filters, parameters)


def _write(
    stream: pikepdf.Stream, packed: bytes, filters: list[str], parameters: _Parameters
) -> None:
    names = pikepdf.Array([pikepdf.Name(each) for each in filters])
    # An array of parameters may hold null; alone it is left out.
    given = pikepdf.Array(parameters) if any(each is not None for each in parameters) else None
    stream.write(packed, filter=names, decode_parms=given)


def _packed_better(packed: bytes) -> bytes | None:
    """Return the bytes packed better; None if that is impossible. Never holds the content."""
    unpacker, packer = zlib.decompressobj(), zlib.compressobj(_BEST)
    result, rest, total = bytearray(), packed, 0
    try:
        while not unpacker.eof and rest:
            content = unpacker.decompress(rest, _CHUNK_BYTES)
            rest = unpacker.unconsumed_tail
            total += len(content)
            result += packer.compress(content)
            if total > _MAX_STREAM_BYTES or len(result) >= len(packed):
                return None
    except zlib.error:
        return None
    result += packer.flush()
    return bytes(result) if unpacker.eof and len(result) < len(packed) else None


def _decode_ascii85(content: bytes) -> bytes | None:
    digits = _WHITESPACE.sub(b"", content).removeprefix(b"<~").partition(b"~")[0]
    try:
        return base64.a85decode(digits)
    except ValueError:
        return None


def _decode_ascii_hex(content: bytes) -> bytes | None:
    digits = _WHITESPACE.sub(b"", content).partition(b">")[0]
    try:
        return binascii.unhexlify(digits + b"0" * (len(digits) % 2))
    except binascii.Error:
        return None


_ASCII: Final[Mapping[str, Callable[[bytes], bytes | None]]] = {
    "/ASCII85Decode": _decode_ascii85,
    "/ASCIIHexDecode": _decode_ascii_hex,
}
