"""Libraries of the tools alone, in the process of the benchmark: how long they take."""

import io
import time
from collections.abc import Callable, Mapping
from typing import Final

import pikepdf
import pypdfium2

from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.deadline import Deadline
from infra.setup.steps import INSTALL_DIR

DPI: Final = 72
_VALIDATION_S: Final = 300.0


class Libraries:
    """Libraries of the tools; `convert-pdfa` and `validate` have the validators."""

    def __init__(self) -> None:
        """Prepare without starting the validators."""
        self._document = b""
        self._validator = LocalValidator(INSTALL_DIR / "validators")
        self._runs: Mapping[str, Callable[[], object]] = {
            "merge": self._merge,
            "split": self._split,
            "extract-pages": lambda: self._edit(_delete_last_half),
            "delete-pages": lambda: self._edit(_delete_first_half),
            "rotate": lambda: self._edit(_rotate),
            "reorder": lambda: self._edit(lambda pdf: pdf.pages.reverse()),
            "watermark": lambda: self._edit(_draw_box),
            "stamp": lambda: self._edit(_draw_box),
            "protect": lambda: self._edit(
                lambda _pdf: None, encryption=pikepdf.Encryption(owner="a", user="b", R=6)
            ),
            "flatten": self._flatten,
            "fill-form": lambda: self._edit(_fill_form),
            "compress": lambda: self._edit(lambda _pdf: None, recompress=True),
            "to-images": self._draw,
            "to-text": self._extract,
            "convert-pdfa": lambda: self._validate(ConformanceCheck.pdfa("2b")),
            "validate": lambda: self._validate(
                ConformanceCheck.pdfa("2b"), ConformanceCheck.pdfua(claimed=False)
            ),
        }

    def run(self, tool: str, document: bytes) -> float:
        """Return the seconds that the library of a tool takes."""
        self._document = document
        work = self._runs.get(tool, lambda: self._edit(lambda _pdf: None))
        started = time.perf_counter()
        work()
        return time.perf_counter() - started

    def close(self) -> None:
        """End the validators."""
        self._validator.close()

    def _edit(
        self,
        change: Callable[[pikepdf.Pdf], object],
        *,
        recompress: bool = False,
        encryption: pikepdf.Encryption | None = None,
    ) -> None:
        with pikepdf.open(io.BytesIO(self._document)) as pdf:
            change(pdf)
            pdf.save(
                io.BytesIO(),
                object_stream_mode=pikepdf.ObjectStreamMode.generate,
                recompress_flate=recompress,
                encryption=encryption or False,
            )

    def _merge(self) -> None:
        with pikepdf.new() as merged, pikepdf.open(io.BytesIO(self._document)) as source:
            merged.add_pages_from(source)
            merged.add_pages_from(source)
            merged.save(io.BytesIO(), object_stream_mode=pikepdf.ObjectStreamMode.generate)

    def _split(self) -> None:
        with pikepdf.open(io.BytesIO(self._document)) as source:
            for index in range(len(source.pages)):
                with pikepdf.new() as part:
                    part.add_pages_from(source, [index])
                    part.save(io.BytesIO())

    def _flatten(self) -> None:
        document = pypdfium2.PdfDocument(self._document)
        document.init_forms()
        for index in range(len(document)):
            document[index].flatten()
        document.save(io.BytesIO())
        document.close()

    def _draw(self) -> None:
        document = pypdfium2.PdfDocument(self._document)
        for index in range(len(document)):
            picture = document[index].render(scale=DPI / 72).to_pil()
            picture.save(io.BytesIO(), "PNG")
        document.close()

    def _extract(self) -> None:
        document = pypdfium2.PdfDocument(self._document)
        for index in range(len(document)):
            document[index].get_textpage().get_text_range()
        document.close()

    def _validate(self, *checks: ConformanceCheck) -> None:
        deadline = Deadline.after(_VALIDATION_S)
        for verdict in self._validator.validate(self._document, checks, deadline):
            assert not verdict.why, verdict.why


def _delete_last_half(pdf: pikepdf.Pdf) -> None:
    del pdf.pages[len(pdf.pages) // 2 :]


def _delete_first_half(pdf: pikepdf.Pdf) -> None:
    del pdf.pages[: len(pdf.pages) // 2]


def _rotate(pdf: pikepdf.Pdf) -> None:
    for page in pdf.pages:
        page.rotate(90, relative=True)


def _draw_box(pdf: pikepdf.Pdf) -> None:
    box = pdf.make_stream(b"q 0 0 50 50 re f Q")
    for page in pdf.pages:
        page.contents_add(box)


def _fill_form(pdf: pikepdf.Pdf) -> None:
    for field in pdf.Root.AcroForm.Fields:
        field.V = "filled"
    pdf.generate_appearance_streams()
