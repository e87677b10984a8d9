"""Refusals of the service: what it says, at which field, and at which place of a template."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, override

from chalicelib.core.text import terminal_text
from infra.operator.output import CommandError

_INDENT: Final = "  "
_MAX_EXCERPT: Final = 90


class Place(NamedTuple):
    """Place in a file, and the text of the line if it is known; both numbers count from 1."""

    file: str
    line: int
    column: int
    text: str | None


# Returns the place of a line and a column of a text of a template, or None if it has no file.
type FindPlace = Callable[[str, int, int], Place | None]


class ProblemError(CommandError):
    """The service has refused a request, or a render has failed."""

    def __init__(self, problem: Mapping[str, object], find_place: FindPlace | None = None) -> None:
        """Read problem details (RFC 9457), or the error of a render."""
        super().__init__(str(problem.get("code", "internal_error")), _detail(problem))
        self.problem: Final = problem
        self.place: Final = None if find_place is None else self._find(find_place)

    def at_place(self, find_place: FindPlace) -> "ProblemError":
        """Return the same refusal with the place in a file."""
        return ProblemError(self.problem, find_place)

    @override
    def as_json(self) -> dict[str, object]:
        place = self.place._asdict() if self.place else {}
        place.pop("text", None)
        return {"code": self.code, "detail": self.message, **self.problem, **place}

    @override
    def format_message(self) -> str:
        line, column = self.problem.get("line"), self.problem.get("column")
        if self.place is not None:
            head = f"{self.place.file}:{self.place.line}:{self.place.column}: {self._fault()}"
        elif line is not None:
            head = f"line {line}, column {column}: {self.message}"
        else:
            head = self.message
        return "\n".join([terminal_text(head), *self._excerpt_lines(), *self._more_lines()])

    def _find(self, find_place: FindPlace) -> Place | None:
        line, column = self.problem.get("line"), self.problem.get("column")
        if not isinstance(line, int) or not isinstance(column, int):
            return None
        field, colon, _ = self.message.partition(": ")
        place = find_place(field, line, column) if colon and " " not in field else None
        return place or find_place("", line, column)

    def _fault(self) -> str:
        """Return the message without the field that the place already names."""
        field, colon, message = self.message.partition(": ")
        return message if colon and " " not in field else self.message

    def _excerpt_lines(self) -> list[str]:
        excerpt, column = self.problem.get("excerpt"), self.problem.get("column")
        if self.place is not None and self.place.text is not None:
            excerpt, column = self.place.text, self.place.column
        if not isinstance(excerpt, str) or not isinstance(column, int) or not excerpt.strip():
            return []
        first = max(0, column - _MAX_EXCERPT // 2) if len(excerpt) > _MAX_EXCERPT else 0
        lines = [_INDENT + terminal_text(excerpt[first : first + _MAX_EXCERPT])]
        # The service cuts a long line around the column.
        if column <= len(excerpt) + 1:
            lines.append(_INDENT + " " * (column - 1 - first) + "^")
        return lines

    def _more_lines(self) -> list[str]:
        entries = self.problem.get("errors")
        listed = entries if isinstance(entries, list) else []
        texts = [f"{each.get('path')}: {each.get('message')}" for each in listed]
        lines = [_INDENT + text for text in texts if text != self.message]
        sources = [
            f"{name} {self.problem[key]}"
            for name, key in (("request", "request_id"), ("render", "render_id"))
            if self.problem.get(key)
        ]
        if sources:
            lines.append(f"{_INDENT}{self.code}, {', '.join(sources)}")
        return list(map(terminal_text, lines))


def _detail(problem: Mapping[str, object]) -> str:
    return str(problem.get("detail") or problem.get("message") or problem.get("title"))
