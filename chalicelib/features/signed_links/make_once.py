"""Render of a URL, made once for all who ask.

One caller claims the URL, and the transaction that creates the render ends the claim. All others,
also those who come while the render runs, wait for it. A function may die at any line: a claim runs
out, and a render whose function has died is taken over (decision 48).
"""

import datetime as dt
import secrets
import time
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import ConditionFailed, Throttled
from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.adapters.json_logs import bind
from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import NotFound, ServiceError
from chalicelib.core.json import JsonObject
from chalicelib.engine.job import PageJob
from chalicelib.engine.remote.calls import MAX_RETURNED_BYTES
from chalicelib.engine.sources import TemplateSource
from chalicelib.features.files.model import StoredFile
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.accept.create import AcceptedRender, CreateRender
from chalicelib.features.renders.accept.delivery import DeliveryRequest, delivery_policy
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.run_now import RunNow, WaitingCaller
from chalicelib.features.signed_links.model import LinkUrl, SignedLink
from chalicelib.features.signed_links.repository import SignedLinks
from chalicelib.features.workspaces.model import Workspace

# An API function ends by then: it has created its render, or died.
CLAIM_TIME: Final = dt.timedelta(seconds=30)
_FIRST_PAUSE_S: Final = 0.05
_MAX_PAUSE_S: Final = 0.5
# For the answer, once the render is ready.
_ANSWER_MARGIN_S: Final = 0.3
_RETRY_AFTER: Final = {"Retry-After": "5"}
# Emails and stores get nothing of a link: what it has made is a stored file.
_DELIVERY: Final = DeliveryRequest(
    type="url",
    hosted=True,
    retention=None,
    retention_days=None,
    expires_in_s=3_600,
    timeout_behavior="continue",
    emails=(),
    storage=(),
)
# Place of the quota's write in the transaction that creates a render.
_QUOTA_INDEX: Final = 2


class WantedFile(NamedTuple):
    """File that a URL asks for; `deadline` is the Unix second by which it must be answered."""

    link: SignedLink
    workspace: Workspace
    format: str
    data: JsonObject
    request_id: str
    deadline: float


class UrlRender(NamedTuple):
    """Final render of a URL; `content` is None where the file does not fit into an answer.

    `file` is None if the render has failed, was canceled, or its file is gone.
    """

    render: Render
    file: StoredFile | None = None
    content: bytes | None = None


class MakeOnce(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Maker of renders of URLs."""

    links: SignedLinks
    renders: Renders
    objects: Objects
    create: CreateRender
    run_now: RunNow
    clock: Clock

    def __call__(self, wanted: WantedFile, url: LinkUrl) -> UrlRender:
        """Return the final render of a URL with its file; an existing file costs nothing.

        Raises `quota_exceeded`, the codes of CreateRender, and `region_degraded` for a render that
        is not ready in time, but goes on.
        """
        waiting = _Waiting()
        while True:
            render = self._last_render(wanted, url)
            if render is not None and render.is_final:
                made = self._url_render(render)
                # Who has waited for a render gets its error; who comes later has it made anew.
                if made.file is not None or waiting.for_render:
                    return made
                render = None
            if render is None:
                url = self._make(wanted, url, waiting)
            else:
                waiting.for_render = True
                self._await(wanted, render, waiting)

    def made_before(self, wanted: WantedFile, url: LinkUrl) -> UrlRender | None:
        """Return the render of a URL whose file is there, without the content; makes nothing."""
        render = self._last_render(wanted, url)
        if render is None or render.status != "succeeded" or render.files_purged_at is not None:
            return None
        return UrlRender(render, render.files[0])

    def _last_render(self, wanted: WantedFile, url: LinkUrl) -> Render | None:
        if url.render_id is None:
            return None
        return self.renders.get(wanted.link.workspace_id, url.render_id)

    def _url_render(self, render: Render) -> UrlRender:
        if render.status != "succeeded" or render.files_purged_at is not None:
            return UrlRender(render)
        file = render.files[0]
        if file.bytes > MAX_RETURNED_BYTES:
            return UrlRender(render, file)
        content = self.objects.get(file.key)
        return UrlRender(render) if content is None else UrlRender(render, file, content)

    def _make(self, wanted: WantedFile, url: LinkUrl, waiting: "_Waiting") -> LinkUrl:
        """Claim the URL and make its render, or wait a moment for the one who does it."""
        now = self.clock.now()
        is_claimed = url.claimed_until is not None and url.claimed_until > format_rfc3339(now)
        token = secrets.token_hex(8)
        if is_claimed or not self.links.claim(url, token, now, now + CLAIM_TIME):
            self._pause(wanted, waiting)
            current = self.links.url(url.link_id, url.digest)
            waiting.for_render |= current.render_id != url.render_id
            return current
        crash_if_armed(CrashPoint.LINK_CLAIMED)
        try:
            accepted = self._accept(wanted, url, token, waiting)
        except Exception:
            # If this fails, the claim runs out.
            with tolerate_transient("the claim of a URL is not released"):
                self.links.release(url, token)
            raise
        waiting.for_render = True
        self._run(wanted, accepted)
        return url._replace(render_id=accepted.render.id, claimed_until=None)

    def _accept(
        self, wanted: WantedFile, url: LinkUrl, token: str, waiting: "_Waiting"
    ) -> AcceptedRender:
        link, now = wanted.link, self.clock.now()
        if link.is_used_up:
            raise _quota_error(link)
        while True:
            try:
                return self.create(
                    _command(wanted),
                    also=lambda render_id: [
                        self.links.keep(url, token, render_id, now),
                        self.links.take_quota(link),
                    ],
                )
            except ConditionFailed as refused:
                raise self._refusal(link, refused) from refused
            except Throttled:
                # Many new URLs at once: their transactions meet in the row of the link.
                self._pause(wanted, waiting)

    def _refusal(self, link: SignedLink, refused: ConditionFailed) -> ServiceError:
        if refused.index != _QUOTA_INDEX:
            # Its claim has run out, and another one makes the render.
            return _late_error("Others ask for this file; ask again after the pause.")
        if self.links.found_used_up(refused):
            return _quota_error(link)
        return NotFound("not_found", "The link is off or deleted.")

    def _run(self, wanted: WantedFile, accepted: AcceptedRender) -> None:
        bind(render=accepted.render.id)
        caller = WaitingCaller(wanted.deadline, cancel_on_timeout=False, idempotency=None)
        self.run_now(accepted.render, accepted.job, caller)
        crash_if_armed(CrashPoint.LINK_RAN)

    def _await(self, wanted: WantedFile, render: Render, waiting: "_Waiting") -> None:
        """Wait for a render of another caller, or take it over if that one has died."""
        # A body is stored for a render that goes on without its caller.
        if not waiting.has_taken_over and render.body_key is None:
            accepted = self.create.next_attempt(_command(wanted), render, self.clock.now())
            if accepted is not None:
                waiting.has_taken_over = True
                crash_if_armed(CrashPoint.LINK_TAKEN_OVER)
                self._run(wanted, accepted)
                return
        self._pause(wanted, waiting)

    def _pause(self, wanted: WantedFile, waiting: "_Waiting") -> None:
        if self.clock.now().timestamp() + waiting.pause_s > wanted.deadline - _ANSWER_MARGIN_S:
            raise _late_error("The file is not ready yet, and is still being made: ask again.")
        time.sleep(waiting.pause_s)
        waiting.pause_s = min(2 * waiting.pause_s, _MAX_PAUSE_S)


class _Waiting:
    """State of one caller: whether it waits for a render, and how long it pauses."""

    def __init__(self) -> None:
        self.for_render = False
        self.has_taken_over = False
        self.pause_s = _FIRST_PAUSE_S


def _command(wanted: WantedFile) -> RenderCommand:
    link = wanted.link
    # The options are completed with the template's.
    job = PageJob(source=TemplateSource(link.template_id), output=OutputOptions(), data=wanted.data)
    return RenderCommand(
        workspace=wanted.workspace,
        key_mode=link.mode,
        mode="sync",
        job=job,
        delivery_policy=delivery_policy(_DELIVERY, "sync", job),
        request_id=wanted.request_id,
        version=link.version,
        explicit_output={**_output_for(link.output, wanted.format), "format": wanted.format},
        source="signed_link",
        link_id=link.id,
    )


def _output_for(output: JsonObject, format_: str) -> JsonObject:
    """Return the options of a link without those that only a PDF can have, for a picture."""
    pdf = output.get("pdf")
    if format_ == "pdf":
        return output
    options = {name: value for name, value in output.items() if name not in {"einvoice", "pdf"}}
    if isinstance(pdf, dict):
        options["pdf"] = {name: pdf[name] for name in pdf if name not in {"pdfa", "pdfua"}}
    return options


def _quota_error(link: SignedLink) -> ServiceError:
    detail = f"The link has made its {link.quota_total} renders; made files are still served."
    return ServiceError("quota_exceeded", detail)


def _late_error(detail: str) -> ServiceError:
    return ServiceError("region_degraded", detail, headers=_RETRY_AFTER)
