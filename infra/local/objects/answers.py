"""Answers of the object store as S3 gives them: XML, and errors with S3's codes."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

type Field = tuple[str, "str | int | Sequence[Field]"]


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to one request; `content` of an object is read from a file."""

    status: HTTPStatus = HTTPStatus.OK
    headers: Mapping[str, str] = field(default_factory=dict)
    content: Any = b""


class RefusedError(Exception):
    """A request is answered with an error of S3."""

    def __init__(self, status: HTTPStatus, code: str, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.code = code

    @property
    def answer(self) -> Answer:
        """Return the answer."""
        return xml("Error", [("Code", self.code), ("Message", str(self))], self.status)


def xml(name: str, fields: Iterable[Field], status: HTTPStatus = HTTPStatus.OK) -> Answer:
    """Return an answer with an XML document of these fields."""
    root = Element(name)
    _add(root, fields)
    content = b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root)
    return Answer(status, {"content-type": "application/xml"}, content)


def _add(parent: Element, fields: Iterable[Field]) -> None:
    for name, value in fields:
        child = SubElement(parent, name)
        if isinstance(value, str | int):
            child.text = str(value)
        else:
            _add(child, value)


def http_time(moment: float) -> str:
    """Return a time as a header has it."""
    return formatdate(moment, usegmt=True)


def xml_time(moment: float) -> str:
    """Return a time as an XML document has it."""
    text = dt.datetime.fromtimestamp(moment, dt.UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
