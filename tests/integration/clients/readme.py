"""The calls of the published client's README, as they stand there."""

import ast
import asyncio
import os
import re
import time
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.metadata import metadata
from types import SimpleNamespace
from typing import Any, Final, override

import httpx
import pytest
from dynamic_document_api import (
    AsyncDynamicDocumentApi,
    DynamicDocumentApi,
    RateLimitError,
    RenderFailedError,
)

from chalicelib.features.webhooks.signature import new_secret, signed_headers
from tests.builders.invoices.invoice_json import invoice_json

_BLOCK: Final = re.compile(r"```python\n(.*?)```", re.DOTALL)
_INLINE: Final = re.compile(r"`(dda\.[^`]*\([^`]*=[^`]*\))`")
_EVENT: Final = b'{"type": "render.succeeded", "data": {"object": {"id": "rnd_1"}}}'


def blocks() -> Iterator[str]:
    """Yield the blocks of Python, and the calls in the text that have arguments."""
    text = str(metadata("dynamic-document-api").json["description"])
    yield from _BLOCK.findall(text)
    yield from _INLINE.findall(text)


class _AsOurs(ast.NodeTransformer):
    """What a reader fills in: ids, addresses, keys and an invoice."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    @override
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        value = self._values.get(node.value) if isinstance(node.value, str) else None
        return node if value is None else ast.copy_location(ast.Constant(value), node)

    @override
    def visit_Set(self, node: ast.Set) -> ast.expr:
        return ast.copy_location(ast.Name("invoice", ast.Load()), node)


def run_calls(names: dict[str, Any], values: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Run every statement; yield each call of the client with the error of its statement."""
    for block in blocks():
        for statement in ast.parse(block).body:
            if isinstance(statement, ast.ImportFrom) and statement.module != "pathlib":
                continue
            calls = sorted(_calls_of(statement))
            filled = ast.fix_missing_locations(_AsOurs(values).visit(statement))
            error = _run(filled, names)
            yield from ((call, error) for call in calls)


def _run(statement: ast.stmt, names: dict[str, Any]) -> str | None:
    try:
        exec(compile(ast.Module([statement], []), "<README>", "exec"), names)  # noqa: S102
    except Exception as error:  # noqa: BLE001 -- whatever a statement of theirs raises is its result
        return f"{type(error).__name__}: {error}"[:200]
    return None


def _calls_of(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if re.fullmatch(r"dda(\.\w+)+", name):
                yield f"{name}({', '.join(each.arg or '**' for each in node.keywords)})"


def readme_names(
    monkeypatch: pytest.MonkeyPatch, base_url: str, key: str, render: Any
) -> dict[str, Any]:
    """Return the names that the README's code finds around it."""
    secret = new_secret()
    monkeypatch.setenv("DYNAMIC_DOCUMENT_API_KEY", key)
    monkeypatch.setenv("BREVO_API_KEY", "xkeysib-1")
    monkeypatch.setenv("DDA_LINK_SECRET", secret.removeprefix("whsec_"))
    monkeypatch.setenv("DDA_WEBHOOK_SECRET", secret)
    headers = signed_headers([secret], "evt_1", int(time.time()), _EVENT)
    return {
        "DynamicDocumentApi": partial(DynamicDocumentApi, base_url=base_url),
        "AsyncDynamicDocumentApi": partial(AsyncDynamicDocumentApi, base_url=base_url),
        "os": os,
        "httpx": httpx,
        "asyncio": asyncio,
        "RenderFailedError": RenderFailedError,
        "RateLimitError": RateLimitError,
        "invoices": [{"number": "2026-0042"}],
        "invoice": invoice_json(),
        "invoice_id": "2026-0042",
        "html": "<h1>Hi</h1>",
        "data": {"number": 1},
        "a": render,
        "b": render,
        "render": render,
        "request": SimpleNamespace(get_data=lambda: _EVENT, headers=headers),
    }
