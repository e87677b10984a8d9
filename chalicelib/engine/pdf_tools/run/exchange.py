"""Messages between the service and the confined process of a tool: JSON, and the bytes it numbers.

The process has read hostile documents, so its answer is checked like any foreign input.
"""

from collections.abc import Mapping, Sequence
from typing import Self, cast

import msgspec

from chalicelib.contract.options.pdf_tools import AnyToolOptions, ToolOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding
from chalicelib.engine.job import RenderedFile, RenderWarning
from chalicelib.engine.pdf_tools import tool_by_name
from chalicelib.engine.pdf_tools.tool import ToolCheck, ToolInput, ToolOutput, ToolSource
from chalicelib.engine.remote.results import FailureRecord


class ToolRequest(msgspec.Struct, frozen=True):
    """Input of a tool; the contents are its sources and its resources, in this order."""

    options: AnyToolOptions
    passwords: tuple[str | None, ...]
    pointers: tuple[str, ...]
    resources: tuple[str, ...]
    test: bool
    max_pages: int

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
        )
        sources = [source.content for source in tool_input.sources]
        return request, [*sources, *tool_input.resources.values()]

    def tool_input(
        self, contents: Sequence[bytes], fonts: Mapping[str, bytes]
    ) -> ToolInput[ToolOptions]:
        """Return the input."""
        rest = iter(contents)
        sources = tuple(
            ToolSource(next(rest), password, pointer)
            for password, pointer in zip(self.passwords, self.pointers, strict=True)
        )
        return ToolInput(
            options=self.options,
            sources=sources,
            resources={pointer: next(rest) for pointer in self.resources},
            fonts=fonts,
            test=self.test,
            max_pages=self.max_pages,
        )


class _File(msgspec.Struct, frozen=True):
    format: str
    content_type: str
    pages: int | None
    width: int | None
    height: int | None
    part: int | None


class _Check(msgspec.Struct, frozen=True):
    """Checks of a content by its number; None: the source."""

    content: int | None
    checks: tuple[ConformanceCheck, ...]
    own_findings: tuple[RawFinding, ...]


class ToolAnswer(msgspec.Struct, frozen=True):
    """Output of a tool, or its failure, or the text of an unexpected exception.

    The contents are those of the files in order, then others that are checked.
    """

    files: tuple[_File, ...] = ()
    checks: tuple[_Check, ...] = ()
    warnings: tuple[RenderWarning, ...] = ()
    failure: FailureRecord | None = None
    fault: str | None = None
    contents: tuple[bytes, ...] = ()

    def output(self) -> ToolOutput:
        """Return the output; raises IndexError or TypeError for an answer that no tool gives."""
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
                each.own_findings,
            )
            for each in self.checks
        )
        if len(files) != len(self.files):
            raise IndexError
        return ToolOutput(files, checks)


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
    answer = ToolAnswer(files, tuple(checks), tuple(warnings))
    return msgspec.to_builtins(answer), contents
