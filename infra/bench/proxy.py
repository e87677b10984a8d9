"""Benchmark: a page with 20 assets through the browser's proxy, compared with no proxy.

`make bench NAME=proxy`: a bare browser loads the page in new contexts, in turn through the proxy
and directly. Measured is the time from the navigation to the load event. The host responds at
once or after 20 ms, over http and https.
"""

import asyncio
import multiprocessing
import ssl
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.engine.browser.proxy.server import ProxyServer
from infra.bench.bare_browser import BareBrowser
from infra.setup.certificate import write as write_certificate

# Delay of the host in seconds, and the limit of the ratio for it.
LIMITS: Final = {0.0: 1.4, 0.02: 1.05}
ROUNDS: Final = 60
_WARM_UP: Final = 3
_PAUSE_S: Final = 0.05
_PADDING: Final = "x" * 10_000
_IMAGE: Final = (
    f"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><desc>{_PADDING}</desc></svg>"
)
_ASSETS: Final = {
    **{f"/{n}.css": ("text/css", f"/*{_PADDING}*/") for n in range(3)},
    **{f"/{n}.js": ("text/javascript", f"/*{_PADDING}*/") for n in range(3)},
    **{f"/{n}.svg": ("image/svg+xml", _IMAGE) for n in range(14)},
}
_PAGE: Final = "<!doctype html><title>Assets</title>" + "".join(
    {
        "css": f"<link rel=stylesheet href={path}>",
        "js": f"<script defer src={path}></script>",
        "svg": f"<img src={path}>",
    }[path.rpartition(".")[2]]
    for path in _ASSETS
)
_RESPONSES: Final = {"/": ("text/html", _PAGE), **_ASSETS}


def main() -> int:
    """Print the table and the ratios; 1 when one is over its limit."""
    _print_row("a page of 20 assets, ms", "directly", "by proxy", "ratio", "quartiles")
    ratios: dict[float, list[float]] = {limit: [] for limit in LIMITS.values()}
    with tempfile.TemporaryDirectory() as folder, BareBrowser() as browser:
        for delay_s, limit in LIMITS.items():
            for scheme in ("http", "https"):
                with _running_host(scheme, delay_s, Path(folder)) as port:
                    ratio = _compare(browser, scheme, port, delay_s)
                ratios[limit].append(ratio)
    summary = ", ".join(
        f"{'; '.join(f'{ratio:.2f}' for ratio in group)} (limit {limit})"
        for limit, group in ratios.items()
    )
    _print_row(f"proxy: {summary}")
    return int(any(max(group) > limit for limit, group in ratios.items()))


def _compare(browser: BareBrowser, scheme: str, port: int, delay_s: float) -> float:
    proxy = ProxyServer(GuardedEgress(allow=f"127.0.0.1/32:{port}", own_hosts=frozenset()))
    times: dict[str, list[float]] = {"direct://": [], "http://127.0.0.1:{port}": []}
    for round_number in range(-_WARM_UP, ROUNDS):
        for way, milliseconds in times.items():
            proxy_port = proxy.new_port()
            with proxy_port.open() as traffic:
                seconds = _load_seconds(
                    browser, way.format(port=proxy_port.port), f"{scheme}://127.0.0.1:{port}/"
                )
            assert (traffic.request_count > 0) == (way != "direct://")
            if round_number >= 0:
                milliseconds.append(1000 * seconds)
            time.sleep(_PAUSE_S)
    direct, proxied = (statistics.median(taken) for taken in times.values())
    pairs = [b / a for a, b in zip(*times.values(), strict=True)]
    low, _, high = statistics.quantiles(pairs, n=4)
    _print_row(
        f"{scheme}, host takes {1000 * delay_s:.0f} ms",
        *(f"{milliseconds:.1f}" for milliseconds in (direct, proxied)),
        f"{proxied / direct:.2f}",
        f"{low:.2f}-{high:.2f}",
    )
    return proxied / direct


def _load_seconds(browser: BareBrowser, server: str, url: str) -> float:
    """Return the seconds from the navigation to the page's load event."""
    context = browser.call(
        "Target.createBrowserContext", proxyServer=server, proxyBypassList="<-loopback>"
    )["browserContextId"]
    page = browser.page(context)
    browser.call("Security.setIgnoreCertificateErrors", page, ignore=True)
    started = time.perf_counter()
    navigation = browser.call("Page.navigate", page, url=url)
    loaded = browser.call(
        "Runtime.evaluate",
        page,
        expression="new Promise(done => document.readyState === 'complete' ? done() : "
        "addEventListener('load', done)).then(() => "
        "performance.getEntriesByType('resource').filter(one => one.responseStatus === 200)"
        ".length)",
        awaitPromise=True,
    )
    seconds = time.perf_counter() - started
    assert loaded["result"]["value"] == len(_ASSETS), (navigation, loaded)
    browser.call("Target.disposeBrowserContext", browserContextId=context)
    return seconds


@contextmanager
def _running_host(scheme: str, delay_s: float, folder: Path) -> Iterator[int]:
    """Run the host in its own process and yield its port."""
    certificate = folder / "host.pem" if scheme == "https" else None
    if certificate is not None:
        write_certificate(certificate)
    own_end, host_end = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(host_end, delay_s, certificate), daemon=True
    )
    process.start()
    try:
        yield own_end.recv()
    finally:
        process.kill()
        process.join()


def _serve(port_pipe: Connection, delay_s: float, certificate: Path | None) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := (await reader.readuntil(b"\r\n\r\n")).decode():
            await asyncio.sleep(delay_s)
            kind, text = _RESPONSES[head.split(" ")[1]]
            writer.write(
                f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nCache-Control: no-store\r\n"
                f"Content-Length: {len(text)}\r\n\r\n{text}".encode()
            )

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        tls = None
        if certificate is not None:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
        server = await asyncio.start_server(client, "127.0.0.1", 0, ssl=tls)
        port_pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(26) + "".join(cell.rjust(12) for cell in rest) + "\n")
    sys.stdout.flush()
