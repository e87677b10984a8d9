"""Messages between the service and the confined process of a tool: JSON, and the bytes it numbers.

The process has read hostile documents, so its answer is checked like any foreign input.
"""

from collections.abc import Mapping, Sequence
from copy import replace
from itertools import islice
from typing import Annotated, Final, Self, cast

import msgspec

from chalicelib.contract.options.pdf_tools import AnyToolOptions, ToolOptions
from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.core.problems import PROBLEMS
from chalicelib.core.text import replace_lone_surrogates, terminal_text
from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding
from chalicelib.engine.context import MAX_FILES, RenderedFile, RenderWarning
from chalicelib.engine.failure_record import FailureRecord
from chalicelib.engine.pdf.document.describe import DocumentDescription
from chalicelib.engine.pdf.document.source import UnopenedPdf
from chalicelib.engine.pdf_tools import tool_by_name
from chalicelib.engine.pdf_tools.comparing.comparison import MAX_TEXT_CHARACTERS, Comparison
from chalicelib.engine.pdf_tools.tool import ToolCheck, ToolInput, ToolOutput

# Texts quote documents, which may have megabytes of them.
_MAX_WARNINGS: Final = 50
_MAX_CHARACTERS: Final = 500
_MAX_FAULT_CHARACTERS: Final = 4_000
# A pointer that quotes a name of the request may have a thousand.
_MAX_DETAIL_CHARACTERS: Final = 1_300
_MAX_FIELD_ERRORS: Final = 100
# As many as can be written.
_MAX_METADATA_CHARACTERS: Final = 1_000
_MAX_WORDS: Final = 100
_MAX_WORD_CHARACTERS: Final = 200
type _Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
type _Word = Annotated[str, msgspec.Meta(pattern="^[a-z0-9_]{1,64}$")]


class StrangeAnswerError(Exception):
    """An answer that no tool gives."""


class ToolRequest(msgspec.Struct, frozen=True):
    """Input of a tool; the contents are its sources and its resources, in this order."""

    options: AnyToolOptions
    passwords: tuple[str | None, ...]
    pointers: tuple[str, ...]
    resources: tuple[str, ...]
    test: bool
    max_pages: int
    names: tuple[str | None, ...]
    filename: str | None

    @classmethod
    def of(cls, tool_input: ToolInput[ToolOptions]) -> tuple[Self, list[bytes]]:
        """Return the request of an input, and its contents."""
        request = cls(
            options=cast("AnyToolOptions", tool_input.options),
            passwords=tuple(source.password for source in tool_input.sources),
            pointers=tuple(source.pointer for source in tool_input.sources),
            resources=tuple(tool_input.resources),
            test=tool_input.test,
            max_pages=tool_input.max_pages,
            names=tuple(source.name for source in tool_input.sources),
            filename=tool_input.filename,
        )
        sources = [source.content for source in tool_input.sources]
        return request, [*sources, *tool_input.resources.values()]

    def tool_input(
        self, contents: Sequence[bytes], fonts: Mapping[str, bytes]
    ) -> ToolInput[ToolOptions]:
        """Return the input."""
        rest = iter(contents)
        sources = tuple(
            UnopenedPdf(next(rest), password, pointer, name)
            for password, pointer, name in zip(
                self.passwords, self.pointers, self.names, strict=True
            )
        )
        return ToolInput(
            options=self.options,
            sources=sources,
            resources={pointer: next(rest) for pointer in self.resources},
            fonts=fonts,
            test=self.test,
            max_pages=self.max_pages,
            filename=self.filename,
        )


class _File(msgspec.Struct, frozen=True):
    # A part of the names of files and objects.
    format: Annotated[str, msgspec.Meta(pattern="^[a-z0-9]{1,8}$")]
    content_type: Annotated[str, msgspec.Meta(pattern="^[a-z]{1,32}/[a-z0-9.+;= -]{1,64}$")]
    pages: _Count | None
    width: _Count | None
    height: _Count | None
    part: Annotated[int, msgspec.Meta(ge=1, le=MAX_FILES)] | None


class _Warning(msgspec.Struct, frozen=True):
    code: _Word
    message: str
    detail: str | None


class _Check(msgspec.Struct, frozen=True):
    """Checks of a content, by its number, or of the source."""

    content: _Count | None
    checks: tuple[ConformanceCheck, ...]
    own_findings: tuple[RawFinding, ...]

    def short_findings(self) -> tuple[RawFinding, ...]:
        return tuple(
            replace(
                each,
                rule=_short_text(each.rule),
                message=_short_text(each.message),
                location=_short_text(each.location),
            )
            for each in self.own_findings
        )


class ToolAnswer(msgspec.Struct, frozen=True):
    """Output of a tool, or its failure, or the text of an unexpected exception.

    The contents are those of the files in order, then others that are checked.
    """

    files: Annotated[tuple[_File, ...], msgspec.Meta(max_length=MAX_FILES)] = ()
    checks: tuple[_Check, ...] = ()
    warnings: tuple[_Warning, ...] = ()
    failure: FailureRecord | None = None
    fault: str | None = None
    out_of_memory: bool = False
    description: DocumentDescription | None = None
    comparison: Comparison | None = None
    contents: tuple[bytes, ...] = ()

    @classmethod
    def read(cls, answer: object) -> Self:
        """Read an answer; raises StrangeAnswerError."""
        try:
            return msgspec.convert(answer, cls)
        except msgspec.ValidationError as strange:
            raise StrangeAnswerError(_short_text(str(strange))) from None

    def short_fault(self) -> str | None:
        """Return the text of an unexpected exception, if there was one."""
        return None if self.fault is None else self.fault[-_MAX_FAULT_CHARACTERS:]

    def render_warnings(self) -> list[RenderWarning]:
        """Return the warnings, each once, with texts that can be shown and stored."""
        warnings = (
            RenderWarning(
                each.code,
                _short_text(each.message),
                None if each.detail is None else _short_text(each.detail),
            )
            for each in self.warnings
        )
        return list(islice(dict.fromkeys(warnings), _MAX_WARNINGS))

    def render_failure(self) -> RenderFailure | None:
        """Return the failure, if there is one.

        Raises StrangeAnswerError if no tool raises its code.
        """
        failure = self.failure
        if failure is None:
            return None
        if failure.code not in PROBLEMS or failure.members or failure.trace is not None:
            raise StrangeAnswerError("failure")
        errors = [
            FieldError(
                replace_lone_surrogates(each.path[:_MAX_DETAIL_CHARACTERS]),
                _short_text(each.code),
                _short_text(each.message),
            )
            for each in failure.errors[:_MAX_FIELD_ERRORS]
        ]
        detail = _short_text(failure.message, _MAX_DETAIL_CHARACTERS)
        return RenderFailure(failure.code, detail, errors=errors)

    def output(self) -> ToolOutput:
        """Return the output; raises StrangeAnswerError if it names a content that is missing."""
        if len(self.contents) < len(self.files) or any(
            each.content is not None and each.content >= len(self.contents) for each in self.checks
        ):
            raise StrangeAnswerError("contents")
        files = tuple(
            RenderedFile(
                file.format,
                content,
                file.content_type,
                file.pages,
                file.width,
                file.height,
                file.part,
            )
            for file, content in zip(self.files, self.contents, strict=False)
        )
        checks = tuple(
            ToolCheck(
                None if each.content is None else self.contents[each.content],
                each.checks,
                each.short_findings(),
            )
            for each in self.checks
        )
        return ToolOutput(files, checks, self._short_description(), self._short_comparison())

    def _short_comparison(self) -> Comparison | None:
        """Return the comparison with texts that can be shown.

        Raises StrangeAnswerError if it names a file that is missing.
        """
        if self.comparison is None:
            return None
        for page in self.comparison.pages:
            for number in (page.from_picture, page.to_picture, page.diff_picture):
                if number is not None and number >= len(self.files):
                    raise StrangeAnswerError("pictures")
        changes = tuple(
            replace(each, from_=_shown_text(each.from_), to=_shown_text(each.to))
            for each in self.comparison.text_changes
        )
        return replace(self.comparison, text_changes=changes)

    def _short_description(self) -> DocumentDescription | None:
        """Return the description with texts that can be shown and stored."""
        if self.description is None:
            return None
        metadata = self.description.metadata
        texts = {
            name: _short_text(text, _MAX_METADATA_CHARACTERS)
            for name, text in msgspec.structs.asdict(metadata).items()
            if isinstance(text, str)
        }
        words = (_short_text(word, _MAX_WORD_CHARACTERS) for word in metadata.keywords)
        keywords = tuple(islice(words, _MAX_WORDS))
        return replace(self.description, metadata=replace(metadata, **texts, keywords=keywords))


def _shown_text(text: str | None) -> str | None:
    """Return a changed text of a document, cut, without lone surrogates."""
    return None if text is None else replace_lone_surrogates(text[:MAX_TEXT_CHARACTERS])


def _short_text(text: str, most: int = _MAX_CHARACTERS) -> str:
    """Return a text of a document on one line, cut with an ellipsis, without lone surrogates."""
    shown = terminal_text(text[: most + 1])
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def run_request(
    request: JsonObject, contents: Sequence[bytes], fonts: Mapping[str, bytes]
) -> tuple[JsonObject, list[bytes]]:
    """Run the tool of a request with its contents; return the answer and its contents."""
    tool_request = msgspec.convert(request, ToolRequest)
    tool_input = tool_request.tool_input(contents, fonts)
    try:
        output = tool_by_name(tool_request.options.tool).load()(tool_input)
    except RenderFailure as failure:
        return msgspec.to_builtins(ToolAnswer(failure=FailureRecord.of(failure))), []
    return _answer(output, tool_input.warnings)


def _answer(
    output: ToolOutput, warnings: Sequence[RenderWarning]
) -> tuple[JsonObject, list[bytes]]:
    contents = [file.content for file in output.files]
    checks = []
    for check in output.checks:
        number = None
        if check.content is not None:
            number = next(
                (n for n, each in enumerate(contents) if each is check.content), len(contents)
            )
            if number == len(contents):
                contents.append(check.content)
        checks.append(_Check(number, check.checks, check.own_findings))
    files = tuple(
        _File(file.format, file.content_type, file.pages, file.width, file.height, file.part)
        for file in output.files
    )
    shown = tuple(_Warning(*each) for each in warnings)
    answer = ToolAnswer(
        files,
        tuple(checks),
        shown,
        description=output.description,
        comparison=output.comparison,
    )
    return msgspec.to_builtins(answer), contents
