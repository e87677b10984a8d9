"""Calls of a client that others wrote, each with what came of it."""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, get_args, get_origin, get_type_hints

from dynamic_document_api import BinaryRender, DynamicDocumentApiError
from pydantic import TypeAdapter, ValidationError

MAX_ITEMS: Final = 5
_OWN: Final = "dynamic_document_api"


class Blocking:
    """Object of the asynchronous client, used as that of the synchronous one."""

    def __init__(self, target: Any, runner: asyncio.Runner) -> None:
        """Use an object of the client, and the loop that it belongs to."""
        self._target, self._runner = target, runner

    def __getattr__(self, name: str) -> Any:
        """Return an inner object, or a method that waits for its result."""
        member = getattr(self._target, name)
        if not callable(member):
            is_inner = type(member).__module__.startswith(_OWN)
            return Blocking(member, self._runner) if is_inner else member
        return lambda *given, **named: self._result(member(*given, **named))

    def _result(self, result: Any) -> Any:
        if inspect.iscoroutine(result):
            return self._runner.run(result)
        if hasattr(result, "__aenter__"):
            return self._opened(result)
        is_pages = type(result).__module__.startswith(_OWN) and hasattr(result, "page")
        return Blocking(result, self._runner) if is_pages else result

    @contextmanager
    def _opened(self, context: Any) -> Iterator[Any]:
        yield Blocking(self._runner.run(context.__aenter__()), self._runner)
        self._runner.run(context.__aexit__(None, None, None))


@dataclass
class Driver:
    """Driver of one client: calls by name, with what came of each."""

    client: Any
    refused: dict[str, str] = field(default_factory=dict)
    mistyped: dict[str, str] = field(default_factory=dict)
    called: list[str] = field(default_factory=list)

    def call(self, name: str, /, *given: Any, **named: Any) -> Any:
        """Call a method; return its answer, of lists the first entries, or None if refused."""
        self.called.append(name)
        *outer, last = name.split(".")
        owner = self.client
        for each in outer:
            owner = getattr(owner, each)
        try:
            answer = getattr(owner, last)(*given, **named)
            if hasattr(answer, "page"):
                answer = answer.all(MAX_ITEMS)
            if isinstance(answer, AbstractContextManager):
                with answer as opened:
                    answer = opened.status_code
        except (DynamicDocumentApiError, TypeError) as refusal:
            self.refused.setdefault(name, str(refusal)[:200])
            return None
        fault = type_fault(_method(self.client, name), answer)
        if fault is not None:
            self.mistyped.setdefault(name, fault)
        return answer

    def refuse(self, name: str, why: str) -> None:
        """Note that an answer is of no use."""
        self.refused.setdefault(name, why)

    @property
    def accepted(self) -> list[str]:
        """Return the methods that are never refused."""
        return sorted(set(self.called) - set(self.refused))

    @property
    def typed(self) -> list[str]:
        """Return the methods whose answers have the client's types."""
        return sorted(set(self.accepted) - set(self.mistyped))

    def lines(self) -> Iterator[str]:
        """Yield a line for each method: accepted, answered as typed, and why not."""
        for name in sorted(set(self.called)):
            word = "typed" if name in self.typed else "accepted"
            state = "refused" if name in self.refused else word
            why = self.refused.get(name) or self.mistyped.get(name, "")
            yield f"{state:<9} {name:<32} {' '.join(why.split())[:160]}"


def method_names(client: Any) -> list[str]:
    """Return the methods of a client that say something to the service, by their full names."""
    found = ["request"]
    for name, resource in vars(client).items():
        if not name.startswith("_"):
            members = inspect.getmembers(type(resource), inspect.isfunction)
            found += [f"{name}.{each}" for each, _ in members if not each.startswith("_")]
    return sorted(found)


def type_fault(method: Callable[..., Any], answer: Any) -> str | None:
    """Return why an answer has not the type that a method declares, or None."""
    hint = get_type_hints(method, include_extras=True).get("return")
    origin = get_origin(hint)
    if hint is BinaryRender:
        empty = [name for name in ("render_id", "pages") if getattr(answer, name) is None]
        return f"no {' and '.join(empty)} in the headers" if empty else None
    if origin is not None and origin.__name__.endswith("Paginator"):
        faults = (_fault(get_args(hint)[0], each) for each in answer)
        return next(filter(None, faults), None if answer else "no entry to look at")
    if hint is type(None):
        return None if answer is None else "an answer where none is expected"
    is_checked = isinstance(answer, dict | str | bytes | list)
    return _fault(hint, answer) if is_checked else None


def _fault(hint: Any, value: Any) -> str | None:
    try:
        TypeAdapter(hint).validate_python(value, strict=True)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, each['loc']))}: {each['msg']}"
            for each in error.errors(include_url=False, include_context=False)
            # A truth value is an int to Python and its type checkers.
            if not (each["type"] == "int_type" and isinstance(each["input"], bool))
        ]
        return "; ".join(faults[:4]) or None
    return None


def _method(client: Any, name: str) -> Callable[..., Any]:
    target = client._target if isinstance(client, Blocking) else client
    for each in name.split("."):
        target = getattr(target, each)
    method: Callable[..., Any] = target
    return method
