"""PDFs that carry an invoice, of six ways to write them, and damage to them by a seed."""

import io
import random
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import pikepdf

from tests.builders.invoices.hybrids import hybrid_pdf

type Damage = Callable[[bytes, random.Random], bytes]

_OBJECT: Final = re.compile(rb"\d+ 0 obj\b.*?endobj", re.DOTALL)
_NAME: Final = re.compile(rb"/[A-Za-z]{1,16}")


def _saved(pdf: pikepdf.Pdf, **options: object) -> bytes:
    result = io.BytesIO()
    pdf.save(result, **options)  # type: ignore[arg-type]
    return result.getvalue()


def _hybrid(change: Callable[[pikepdf.Pdf], object] | None = None, **options: object) -> bytes:
    with pikepdf.open(io.BytesIO(hybrid_pdf())) as pdf:
        if change is not None:
            change(pdf)
        return _saved(pdf, **options)


def _associate_only(pdf: pikepdf.Pdf) -> None:
    _packed(pdf)
    (attached,) = pdf.attachments.values()
    pdf.Root.AF = pikepdf.Array([attached.obj])
    del pdf.Root.Names.EmbeddedFiles


def _packed(pdf: pikepdf.Pdf) -> None:
    (attached,) = pdf.attachments.values()
    stream = attached.obj.EF.F
    stream.write(stream.read_bytes())


HYBRIDS: Final[Mapping[str, bytes]] = MappingProxyType(
    {
        "plain": hybrid_pdf(),
        "object_streams": _hybrid(
            _packed, object_stream_mode=pikepdf.ObjectStreamMode.generate, compress_streams=True
        ),
        "linearised": _hybrid(linearize=True),
        "unpacked": _hybrid(
            compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.all
        ),
        "encrypted": hybrid_pdf(encryption=pikepdf.Encryption(owner="o", user="")),
        "associated": _hybrid(_associate_only),
    }
)


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(9, len(content))]


def _cut_out(content: bytes, chance: random.Random) -> bytes:
    begin = chance.randrange(9, len(content))
    return content[:begin] + content[begin + chance.randrange(1, 2_000) :]


def _flip(content: bytes, chance: random.Random) -> bytes:
    damaged = bytearray(content)
    for _ in range(chance.choice((1, 3, 10, 100))):
        damaged[chance.randrange(9, len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def _remove_object(content: bytes, chance: random.Random) -> bytes:
    found = list(_OBJECT.finditer(content))
    chosen = chance.choice(found)
    return content[: chosen.start()] + b" " * len(chosen[0]) + content[chosen.end() :]


def _empty_object(content: bytes, chance: random.Random) -> bytes:
    chosen = chance.choice(list(_OBJECT.finditer(content)))
    number = chosen[0].split(b" ", 1)[0]
    value = chance.choice((b"null", b"[]", b"<<>>", b"1", b"(text)", b"/Name"))
    small = b"%b 0 obj %b endobj" % (number, value)
    return content[: chosen.start()] + small.ljust(len(chosen[0])) + content[chosen.end() :]


def _rename_key(content: bytes, chance: random.Random) -> bytes:
    chosen = chance.choice(list(_NAME.finditer(content)))
    other = b"/" + b"Q" * (len(chosen[0]) - 1)
    return content[: chosen.start()] + other + content[chosen.end() :]


DAMAGES: Final[tuple[Damage, ...]] = (
    _cut,
    _cut_out,
    _flip,
    _remove_object,
    _empty_object,
    _rename_key,
)
