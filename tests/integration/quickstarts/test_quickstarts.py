"""Programs of docs/quickstart/ do what their pages say, each in its language."""

import json
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import httpx
import pypdf
import pytest

from infra.local.paths import free_port
from infra.local.running_stack import RunningStack
from infra.template import ROOT
from tests.builders import csharp as compiler
from tests.builders.waiting import PATIENCE_S
from tests.builders.webhook_clients import blocks_with_names
from tests.integration.quickstarts import programs
from tests.integration.quickstarts.programs import PAGES, Command, run
from tests.integration.quickstarts.relay import GENUINE, Relay

pytestmark = pytest.mark.integration

# What each step prints first, and a text of the document that it makes.
STEPS: Final = {
    "1. out/hello.pdf": "Hello from",
    "2. out/offer.pdf of tpl_": "Repair",
    "3. out/report.pdf rnd_": "A long report",
    "4. out/told.pdf render.succeeded evt_": "Tell me when it is there",
    "5. out/invoice.pdf EN16931 passed": "Invoice 2026-0042",
}
FINDING: Final = "   PLT-IBAN "
# Of five renders, a template and an endpoint.
POSTS: Final = 7
UNKNOWN_KEY: Final = "plt_test_unknown"
# The checks that docs/clients.md has, without the lines that a language or a program needs.
VERIFIERS: Final = {
    "python": ("verify_webhook.py", "def verify("),
    "typescript": ("verify_webhook.mjs", "  const id ="),
    "java": ("VerifyWebhook.java", "    public static void verify("),
    "go": ("verify_webhook.go", "// Verify returns"),
}


def checkout(folder: Path, stack: RunningStack, relay: Relay) -> Path:
    """Give a folder that looks like a checkout whose stack is up, behind the relay."""
    (folder / "docs").symlink_to(ROOT / "docs")
    (folder / ".platen").mkdir()
    service = json.loads((stack.folder / "run.json").read_text(encoding="utf-8"))
    service["base_url"] = f"http://127.0.0.1:{relay.port}/v1"
    (folder / ".platen" / "run.json").write_text(json.dumps(service), encoding="utf-8")
    return folder


def check(
    prepare: Callable[[Path], Command], folder: Path, stack: RunningStack, relay: Relay
) -> None:
    """Run a program with a key that is unknown, then as it is, and check what it makes."""
    relay.clear()
    program = prepare(checkout(folder, stack, relay))
    port = free_port()
    relay.receiver = f"http://127.0.0.1:{port}"
    variables = {
        **(compiler.ENVIRONMENT if prepare is programs.csharp else {}),
        "WEBHOOK_PORT": str(port),
        "WEBHOOK_URL": f"http://127.0.0.1:{relay.port}/hooks",
    }
    refusal = asked(stack, UNKNOWN_KEY)

    refused = run(program, folder, status=1, variables={**variables, "PLATEN_KEY": UNKNOWN_KEY})

    assert refusal["detail"] in refused

    relay.clear()
    printed = run(program, folder, variables=variables).splitlines()

    assert len(printed) == len(STEPS) + 1
    for line, (start, text) in zip(printed, STEPS.items(), strict=False):
        assert line.startswith(start)
        assert text in text_of(folder / line.split()[1])
    assert printed[-1].startswith(FINDING)
    attached = pypdf.PdfReader(folder / "out" / "invoice.pdf").attachments["factur-x.xml"][0]
    assert b"2026-0042" in attached
    assert len(set(relay.keys)) == len(relay.keys) == POSTS
    assert None not in relay.keys
    assert relay.statuses.pop(GENUINE) == {204}
    assert len(relay.statuses) > 10
    assert all(statuses == {400} for statuses in relay.statuses.values()), relay.statuses
    assert asked(stack, stack.test_key)["data"] == []


def asked(stack: RunningStack, key: str) -> dict[str, Any]:
    """Return the endpoints that the workspace of a key has, or the problem."""
    headers = {"Authorization": f"Bearer {key}"}
    answer = httpx.get(f"{stack.base_url}/webhook-endpoints", headers=headers, timeout=PATIENCE_S)
    found: dict[str, Any] = answer.json()
    return found


def text_of(file: Path) -> str:
    reader = pypdf.PdfReader(BytesIO(file.read_bytes()))
    return " ".join("".join(page.extract_text() for page in reader.pages).split())


# One test each: of the cases of one test, `make test` would run the first.


def test_python(tmp_path: Path, stack: RunningStack, relay: Relay) -> None:
    check(programs.python, tmp_path, stack, relay)


def test_typescript(tmp_path: Path, stack: RunningStack, relay: Relay) -> None:
    check(programs.typescript, tmp_path, stack, relay)


def test_php(tmp_path: Path, stack: RunningStack, relay: Relay) -> None:
    check(programs.php, tmp_path, stack, relay)


def test_java(tmp_path: Path, stack: RunningStack, relay: Relay) -> None:
    check(programs.java, tmp_path, stack, relay)


def test_go(tmp_path: Path, stack: RunningStack, relay: Relay) -> None:
    check(programs.go, tmp_path, stack, relay)


def test_csharp(tmp_path: Path, stack: RunningStack, relay: Relay) -> None:
    check(programs.csharp, tmp_path, stack, relay)


def test_every_page_has_a_test_and_stands_in_the_index() -> None:
    languages = {page.stem for page in PAGES.glob("*.md")}
    index = (PAGES.parent / "quickstart.md").read_text(encoding="utf-8")

    assert languages == set(re.findall(r"\(quickstart/(\w+)\.md\)", index))
    assert languages == {name.removeprefix("test_") for name in globals() if name in TESTS}


TESTS: Final = {f"test_{page.stem}" for page in PAGES.glob("*.md")}


@pytest.mark.parametrize("language", VERIFIERS)
def test_the_check_of_a_signature_is_that_of_its_page(language: str) -> None:
    name, start = VERIFIERS[language]
    block = blocks_with_names()[name]
    page = (PAGES / f"{language}.md").read_text(encoding="utf-8")
    check_of_signature = block[block.index(start) :].rstrip().removesuffix("\n}")

    assert check_of_signature in page


def test_the_check_of_a_signature_in_csharp_is_that_of_its_page() -> None:
    page, program = (
        "\n".join(map(str.strip, path.read_text(encoding="utf-8").splitlines()))
        for path in (ROOT / "docs" / "clients.md", PAGES / "csharp.md")
    )
    start = page.index("if (string.IsNullOrEmpty(id)")
    check_of_signature = page[start : page.index("}\n```", start)].rstrip().removesuffix("}")

    assert "mac.ComputeHash" in check_of_signature
    assert check_of_signature in program
