"""Hostile texts of tenants and owners: escaped on the operator's terminal, absent from mail."""

from typing import Any

import pytest

from chalicelib.adapters.net.smtp import SmtpMailer
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderTrace
from chalicelib.engine.job import EngineJob
from tests.builders.hostile_texts import HOSTILE_NAMES
from tests.builders.operator import OperatorTool
from tests.builders.service import Service

# Valid names of workspaces: not empty, and storable in a table.
WORKSPACES = [
    text for name, text in HOSTILE_NAMES.items() if 0 < len(text) <= 120 and name != "half a pair"
]


def shown(tool: OperatorTool, *arguments: str) -> str:
    """Return the output of a command, whether it succeeds or refuses."""
    done = tool.run(*arguments)
    for line in done.output.split("\n"):
        assert line.isprintable(), arguments
    return done.output


def test_terminal_output_escapes_control_characters_in_names(tool: OperatorTool) -> None:
    for text in WORKSPACES:
        made = tool.json("workspace", "create", text, "--plan", "pro")
        assert made["name"] == text
        # One line per workspace, so that no name can imitate another row.
        rows = [row for row in shown(tool, "workspace", "list").split("\n") if made["id"] in row]
        assert len(rows) == 1
        assert made["id"] in shown(tool, "workspace", "show", made["id"])
        options = ("--workspace", made["id"], "--mode", "live", "--name", text)
        shown(tool, "key", "create", *options)
        listed = shown(tool, "key", "list", "--workspace", made["id"]).strip().split("\n")
        # What goes on below a row is indented.
        keys = [line for line in listed if not line.startswith(" ")]
        assert len(keys) == 2, keys


def test_refusal_escapes_the_repeated_input(tool: OperatorTool) -> None:
    for text in HOSTILE_NAMES.values():
        shown(tool, "workspace", "show", text)
        shown(tool, "workspace", "create", text * 200)
        shown(tool, "key", "list", "--workspace", text)
        shown(tool, "member", "add", "ws_1", text)
        shown(tool, "dlq", "redrive", text)


def test_trace_escapes_texts_of_the_render(tool: OperatorTool, service: Service) -> None:
    for text in WORKSPACES:
        service.clock.advance(seconds=1)

        def fail(_job: EngineJob, message: str = text) -> None:
            raise RenderFailure(
                "template_runtime_error", message, trace=RenderTrace(logs=(message,))
            )

        service.engine.before_run = fail
        render_id = service.render(reference=text).json["render_id"]
        assert render_id in shown(tool, "render", "trace", render_id)


def test_mails_contain_ids_only(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[Any, str, str]] = []
    monkeypatch.setattr(SmtpMailer, "__call__", lambda _, *letter: sent.append(letter))
    service.smtp_url = "smtp://mail.test"
    for text in WORKSPACES:
        made: Any = service.operator.create_workspace(
            text, owner="ada@example.com", plan="pro", regions=["eu"]
        )
        ends = service.clock.now().replace(year=service.clock.now().year + 1)
        service.key("live", made.id, name=text, expires_at=ends)
    service.clock.advance(days=364, hours=12)
    for _ in range(len(WORKSPACES)):
        if not service.tick():
            break
        assert service.run_maintenance() == []
        assert service.run_maintenance() == []
        assert service.run_maintenance() == []

    assert len(sent) >= len(WORKSPACES)
    for _, subject, text in sent:
        assert subject.isprintable()
        assert all(line.isprintable() for line in text.split("\n"))
        assert not [name for name in WORKSPACES if len(name) > 4 and name in subject + text]
