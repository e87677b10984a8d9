"""Uploads by form: the policy that its signer has set for them."""

import base64
import datetime as dt
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from multipart import MultipartParser, parse_options_header

from infra.local.objects.answers import RefusedError
from infra.local.objects.object_file import Readable

_NEEDS_NO_CONDITION: Final = {"policy", "x-amz-signature", "file"}
_CONDITION: Final = 3
# Of all fields together; a larger file is spooled to the disk.
_MAX_FIELDS_BYTES: Final = 1 << 20
_SPOOL_BYTES: Final = 1 << 18
_MAX_BYTES: Final = 6 << 30


class FormFile(NamedTuple):
    """File of a form, and its size."""

    content: Readable
    size: int


@contextmanager
def read_form(environ: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, str], FormFile]]:
    """Give the fields of a form, by name in lower case, and its file; it is closed afterwards.

    Raises RefusedError and MultipartError.
    """
    _, options = parse_options_header(environ.get("CONTENT_TYPE", ""))
    parser = MultipartParser(
        environ["wsgi.input"],
        options.get("boundary", ""),
        int(environ.get("CONTENT_LENGTH") or -1),
        strict=True,
        spool_limit=_SPOOL_BYTES,
        memory_limit=_MAX_FIELDS_BYTES,
        disk_limit=_MAX_BYTES,
    )
    fields: dict[str, str] = {}
    file = None
    with ExitStack() as parts:
        for part in parser:
            parts.callback(part.close)
            if part.name == "file":
                file = FormFile(part.file, part.size)
            else:
                fields[part.name.lower()] = part.value
        if file is None or not fields.get("key"):
            text = "POST requires exactly one file upload per request, and its key."
            raise RefusedError(HTTPStatus.BAD_REQUEST, "InvalidArgument", text)
        yield fields, file


def check_policy(fields: Mapping[str, str], bucket: str, size: int, now: dt.datetime) -> None:
    """Raise RefusedError unless the signed policy of a form allows its fields and its file."""
    policy = json.loads(base64.b64decode(fields["policy"]))
    if now > dt.datetime.fromisoformat(policy["expiration"]):
        raise _denial("Policy expired.")
    values = {**fields, "bucket": bucket}
    named = set()
    for condition in policy["conditions"]:
        if isinstance(condition, dict):
            ((name, expected),) = condition.items()
            test: list[Any] = ["eq", name, expected]
        else:
            test = condition
        if len(test) != _CONDITION:
            raise _denial("A condition has three parts.")
        operation, subject, value = test
        if operation == "content-length-range":
            _check_size(size, int(subject), int(value))
            continue
        name = str(subject).removeprefix("$").lower()
        named.add(name)
        if not _holds(operation, values.get(name, ""), str(value)):
            raise _denial(f"Policy Condition failed: {json.dumps(test)}")
    if extra := values.keys() - named - _NEEDS_NO_CONDITION - {"bucket"}:
        raise _denial(f"Extra input fields: {', '.join(sorted(extra))}")


def _holds(operation: str, value: str, expected: str) -> bool:
    if operation == "eq":
        return value == expected
    return operation == "starts-with" and value.startswith(expected)


def _check_size(size: int, least: int, most: int) -> None:
    if size < least:
        raise RefusedError(HTTPStatus.BAD_REQUEST, "EntityTooSmall", f"At least {least} bytes.")
    if size > most:
        raise RefusedError(HTTPStatus.BAD_REQUEST, "EntityTooLarge", f"At most {most} bytes.")


def _denial(text: str) -> RefusedError:
    return RefusedError(
        HTTPStatus.FORBIDDEN, "AccessDenied", f"Invalid according to Policy: {text}"
    )
