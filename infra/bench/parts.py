"""Stack, browser and servers that benchmarks run on."""

import tempfile
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from infra.bench.bare_browser import BareBrowser
from infra.bench.client import BenchClient
from infra.bench.emails.mail_server import MailServer
from infra.bench.storage.gateway import StoreGateway
from infra.bench.webhooks.receiver import BenchReceiver
from infra.local.running_stack import running_stack

if TYPE_CHECKING:
    from infra.local.running_stack import RunningStack


class Parts:
    """Parts that start when they are first used, and end with the block.

    Whether the servers run or not, the stack may reach them.
    """

    def __init__(self) -> None:
        """Start nothing yet."""
        self._cleanup = ExitStack()

    def __enter__(self) -> Self:
        """Return the parts."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the started parts."""
        self.stop()

    def stop(self) -> None:
        """End the started parts, the last first; a part that is used afterwards starts anew."""
        self._cleanup.close()
        vars(self).clear()
        self._cleanup = ExitStack()

    @cached_property
    def stack(self) -> "RunningStack":
        """Return the stack."""
        servers = (self._mail_server, self._receiver, self._store)
        return self._cleanup.enter_context(
            running_stack(
                PLATEN_EGRESS_ALLOW=",".join(server.egress_exemption for server in servers),
                SSL_CERT_FILE=str(self._mail_server.certificate),
            )
        )

    def client(self) -> BenchClient:
        """Return a new client of the stack."""
        return self._cleanup.enter_context(BenchClient(self.stack))

    @cached_property
    def browser(self) -> BareBrowser:
        """Return the bare browser."""
        return self._cleanup.enter_context(BareBrowser())

    @cached_property
    def mail_server(self) -> MailServer:
        """Return the running mail server."""
        return self._cleanup.enter_context(self._mail_server)

    @cached_property
    def receiver(self) -> BenchReceiver:
        """Return the running receiver of webhooks."""
        return self._cleanup.enter_context(self._receiver)

    @cached_property
    def store(self) -> StoreGateway:
        """Return the running store."""
        return self._cleanup.enter_context(self._store)

    @cached_property
    def _mail_server(self) -> MailServer:
        return MailServer(self._folder / "mail.pem")

    @cached_property
    def _receiver(self) -> BenchReceiver:
        return BenchReceiver()

    @cached_property
    def _store(self) -> StoreGateway:
        return StoreGateway(self._folder / "buckets")

    @cached_property
    def _folder(self) -> Path:
        folder = self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="platen-bench-"))
        return Path(folder)
