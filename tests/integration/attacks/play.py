"""Runs attacks against the engine: with all protection, with the proxy alone, and with none."""

import io
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pikepdf
import pypdfium2
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium import flags, process
from chalicelib.engine.browser.chromium.protocol import Event
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.browser.requests.requests import PageRequests
from chalicelib.engine.browser.tab.prepared_page import NewTargets
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from chalicelib.engine.sources import HtmlSource, Source, UrlSource
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.pages.engine_jobs import Task, task
from tests.builders.pages.real_browser import new_browser
from tests.builders.waiting import PATIENCE_S
from tests.fakes.dns_server import DnsServer
from tests.integration.attacks.case import Attack
from tests.integration.attacks.fake_internet import Guarded, OpenEgress, World, guarded

_TOGETHER = 16
_STAGES = 2
# How long to watch for hits, for documents of several attacks (True) and of one.
_LOOK_MS = {True: 250, False: 120}
# Factor without protection: there hits must come, on a slow machine too.
_LONGER = 2.5
_WAIT_MS = {True: 4_000, False: 15_000}
_LAST_S = 1.5
_HERE = "still here"
_OFF = (
    "--host-resolver-rules",
    "--force-webrtc-ip-handling-policy",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-pings",
    "--block-new-web-contents",
    "--disable-background-networking",
    "--disable-features",
)


@dataclass(frozen=True)
class Act:
    """Attacks of one document: all that its owner got, and whether the output is right."""

    attacks: Sequence[Attack]
    got: str
    reported: str
    right: bool
    failed: bool
    refused: Sequence[str]


class Stage:
    """An engine in a world of attacks."""

    def __init__(
        self, world: World, browser: Browser, egress: Guarded | OpenEgress, longer: float
    ) -> None:
        self._world = world
        self._longer = longer
        self._egress = egress
        # Without protection the output does not matter.
        self._open = isinstance(egress, OpenEgress)
        self._templates = TemplateWorker()
        self._parts = PipelineServices(browser, self._templates, egress)

    def play(self, attacks: Sequence[Attack]) -> Act:
        """Render the document of some attacks, and an innocent one if that failed."""
        refused = self._egress.refused if isinstance(self._egress, Guarded) else []
        refused.clear()
        try:
            outcome = run_page_job(*self._task(attacks), self._parts)
        except RenderFailure as failure:
            reported = f"{failure} {failure.__dict__}"
            right = self._is_right_afterwards()
            return Act(attacks, reported, reported, right, failed=True, refused=list(refused))
        shown, reported = _shown(outcome), str(outcome.trace)
        # A document that navigates may have left by now.
        left = any(attack.case.kind == "Navigation" for attack in attacks)
        right = _HERE in shown or (left and self._is_right_afterwards())
        return Act(attacks, shown + reported, reported, right, failed=False, refused=list(refused))

    def _is_right_afterwards(self) -> bool:
        if self._open:
            return False
        innocent = task(f"<p>{_HERE}", seconds=PATIENCE_S)
        return _HERE in _shown(run_page_job(*innocent, self._parts))

    def _task(self, attacks: Sequence[Attack]) -> Task:
        first = attacks[0]
        case = first.case
        look = _LOOK_MS[case.shared] * (_LONGER if self._open else 1) * self._longer
        limit = _WAIT_MS[self._open] * self._longer
        wait = {"delay_ms": int(look), "timeout_ms": int(limit)}
        output = {"formats": ["pdf", "html"], "wait": wait, **first.filled(case.output)}
        source: Source
        if case.url is not None:
            source = UrlSource(first.filled(case.url))
        else:
            html = "\n".join(attack.filled(attack.case.html) for attack in attacks)
            more = "{{ secret }}" if case.data_url else ""
            text = f"<!doctype html><title>x</title><p>{_HERE}{more}{html}"
            source = HtmlSource(html=text, templating=bool(case.data_url))
        data_url = first.filled(case.data_url)
        return task(output=output, source=source, data_url=data_url, seconds=PATIENCE_S)


def batches(attacks: Sequence[Attack]) -> Iterator[Sequence[Attack]]:
    """Yield the attacks of each document; those that do not interfere share one."""
    for (shared, _), group in groupby(attacks, lambda each: (each.case.shared, each.case.kind)):
        found = list(group)
        size = _TOGETHER if shared else 1
        yield from (found[at : at + size] for at in range(0, len(found), size))


def protected(world: World) -> list[Act]:
    """Play all attacks with the protection of production."""
    with DnsServer(world.zone) as names:
        return _played(world, lambda: guarded(names), world.attacks)


def behind_proxy(world: World) -> list[Act]:
    """Play those of documents without the interception of requests, which only reports."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PageRequests, "_on_request", _let_through)
        documents = [attack for attack in world.attacks if attack.case.html]
        with DnsServer(world.zone) as names:
            return _played(world, lambda: guarded(names), documents)


def unprotected(world: World, attacks: Sequence[Attack], longer: float) -> list[Act]:
    """Play attacks without any protection; look at each `longer` than usual."""
    with pytest.MonkeyPatch.context() as patch, DnsServer(world.zone) as names:
        patch.setattr(PageRequests, "_on_request", _let_through)
        patch.setattr(NewTargets, "_on_event", _let_run)
        patch.setattr(process, "command_line", _command_line)
        return _played(world, lambda: OpenEgress(world, names), attacks, longer)


def _played(
    world: World,
    new_egress: Callable[[], Guarded | OpenEgress],
    attacks: Sequence[Attack],
    longer: float = 1,
) -> list[Act]:
    """Play on two stages concurrently, because most of the time is spent watching for hits."""
    world.canary.hits.clear()
    documents = list(batches(attacks))
    with ThreadPoolExecutor(_STAGES) as pool:
        halves = [documents[at::_STAGES] for at in range(_STAGES)]
        acts = list(
            pool.map(lambda half: _played_in_turn(world, new_egress(), half, longer), halves)
        )
    return [act for each in acts for act in each]


def _played_in_turn(
    world: World,
    egress: Guarded | OpenEgress,
    documents: Sequence[Sequence[Attack]],
    longer: float,
) -> list[Act]:
    browser = new_browser(egress=egress, ca_bundle=world.authority)
    stage = Stage(world, browser, egress, longer)
    acts = [stage.play(attacks) for attacks in documents]
    time.sleep(_LAST_S)
    browser.close()
    return acts


_on_request = PageRequests._on_request


def _let_through(self: PageRequests, session: str, event: Event) -> None:
    """Intercept only requests for the document itself."""
    if event["request"]["url"].startswith(self._prepared_page.origin):
        _on_request(self, session, event)
    else:
        self._send(session, "Fetch.continueRequest", requestId=event["requestId"])


_on_event = NewTargets._on_event


def _let_run(self: NewTargets, method: str, event: Event) -> None:
    """Do not close windows and workers of pages."""
    context = event.get("targetInfo", {}).get("browserContextId", "")
    if method == "Target.attachedToTarget" and context not in self._expected:
        self._pipe.send("Runtime.runIfWaitingForDebugger", {}, event["sessionId"])
    else:
        _on_event(self, method, event)


def _command_line(*arguments: Any, **settings: Any) -> list[str]:
    whole = flags.command_line(*arguments, **settings)
    return [flag for flag in whole if not flag.startswith(_OFF)]


def _shown(outcome: RenderOutcome) -> str:
    """Return everything readable in the files: the text of the pages, and every stream."""
    read = []
    for file in outcome.files:
        if file.format != "pdf":
            read.append(file.content.decode(errors="replace"))
            continue
        with pypdfium2.PdfDocument(file.content) as document:
            read += [page.get_textpage().get_text_bounded() for page in document]
        with pikepdf.open(io.BytesIO(file.content)) as pdf:
            read += [
                each.read_bytes().decode("latin-1")
                for each in pdf.objects
                if isinstance(each, pikepdf.Stream) and "/Filter" in each
            ]
        read.append(file.content.decode("latin-1"))
    return "\n".join(read)
