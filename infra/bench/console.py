"""Benchmark: a key pressed in the playground until its page is drawn, compared with the API.

The draft that the playground begins with, in the same browser binary. Each way adds a letter to it;
the pause of the playground is taken off. The page sends the request whose like the API gets in
turn. The bytes are those of an empty draft: what a visitor waits for before the first preview.
"""

import http.client
import json
import os
import re
import statistics
import subprocess
import tempfile
import time
from typing import Any, Final
from urllib.parse import urlsplit

from infra.bench.bare_browser import BareBrowser
from infra.bench.parts import Parts
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, run_in_turns, stopwatch
from infra.local.running_stack import RunningStack
from infra.setup.steps import COMMANDS_DIR, CONSOLE_PACKAGES_DIR
from infra.template import ROOT

LIMIT: Final = Limit(2.2)
FIRST_LOAD: Final = Limit(600, unit=" kB")
FULL: Final = Rounds(15, warm_up=5, pause_s=0.25)
SMOKE: Final = Rounds(1, warm_up=0)
_RUNS: Final = 3
_TIMEOUT_S: Final = 60
_TYPED: Final = "key to page"
_SENT: Final = "the API"
_CONSOLE: Final = ROOT / "console"
_PAUSE: Final = re.compile(r"^const PAUSE_MS = (\d+);$", re.MULTILINE)
_EDITOR: Final = "document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')"
_DRAWN: Final = "document.querySelector('.sheets canvas[data-drawn]')"
# A drawing gives the canvas its size anew.
_WATCH: Final = f"""window.drawn = new Promise((done) => {{
  let started = 0;
  const begin = () => {{ started = performance.now() }};
  {_EDITOR}.addEventListener('beforeinput', begin, {{ once: true }});
  const observer = new MutationObserver(() => {{
    observer.disconnect();
    done(performance.now() - started);
  }});
  observer.observe({_DRAWN}, {{ attributeFilter: ['width'] }});
}})"""
_KEEP_BODY: Final = """{
  const send = window.fetch;
  window.fetch = (request, ...others) => {
    if (request.method === 'POST') request.clone().text().then((text) => { window.sent = text });
    return send(request, ...others);
  };
}"""
_LOADED: Final = """[
  ...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource'),
].filter(({ name }) => !name.includes('/v1/')).map(({ encodedBodySize }) => encodedBodySize)"""


class _Page:
    """The playground in a tab."""

    def __init__(self, browser: BareBrowser, stack: RunningStack) -> None:
        self._browser, self._session = browser, browser.page()
        self._host = stack.files_host
        self._key = stack.test_key

    def open(self, stored: dict[str, str]) -> None:
        """Open the playground anew, as somebody who has been there with these values."""
        self._browser.call("Network.clearBrowserCache", self._session)
        self._browser.call("Page.navigate", self._session, url=f"{self._host}/console/assets/none")
        self.wait_for("location.href.endsWith('/none') && document.readyState === 'complete'")
        self.value("sessionStorage.clear()")
        for name, value in ({"platen.key": self._key} | stored).items():
            self.value(f"sessionStorage.setItem({json.dumps(name)}, {json.dumps(value)})")
        self._browser.call("Page.navigate", self._session, url=f"{self._host}/console/playground")
        self.wait_for(f"location.href.endsWith('/playground') && {_EDITOR} != null")

    def type_letter(self) -> None:
        """Press a key, and keep the promise of the drawing in `drawn`."""
        self.value(_WATCH + ", 0")
        self._browser.call("Input.insertText", self._session, text="x")

    def value(self, expression: str) -> Any:
        """Return the value of an expression, or of its promise."""
        answer = self._browser.call(
            "Runtime.evaluate",
            self._session,
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> Any:
        """Return the value of an expression as soon as it is true."""
        end = time.monotonic() + _TIMEOUT_S
        while not (value := self.value(expression)):
            assert time.monotonic() < end, f"not within {_TIMEOUT_S} s: {expression}"
            time.sleep(0.02)
        return value


def measure(parts: Parts, report: Report, size: Rounds) -> None:
    """Print the tables, the bytes of the first load, and the ratio."""
    report.row("build", "seconds")
    report.row("console", _build_seconds())
    host = urlsplit(parts.stack.files_host).netloc
    with BareBrowser(f"--proxy-bypass-list=<-loopback>;{host}") as browser:
        _measure(parts, report, size, _Page(browser, parts.stack))


def _measure(parts: Parts, report: Report, size: Rounds, page: _Page) -> None:
    page.open({"platen.draft": json.dumps({"name": "", "sources": {"html": ""}, "output": {}})})
    page.wait_for("document.fonts.status === 'loaded'")
    report.check("first load", FIRST_LOAD, sum(page.value(_LOADED)) / 1000)
    page.open({})
    page.wait_for(f"{_DRAWN} !== null")
    report.row("bytes", "kB")
    report.row("with the first preview", sum(page.value(_LOADED)) / 1000)
    page.value(_KEEP_BODY)
    page.value(f"{_EDITOR}.focus()")
    page.type_letter()
    page.value("drawn")
    ratios = [_ratio(parts, report, size, page, run) for run in range(1, _RUNS + 1)]
    report.result(LIMIT, statistics.median(ratios))


def _ratio(parts: Parts, report: Report, size: Rounds, page: _Page, run: int) -> float:
    pause = int(_PAUSE.findall((_CONSOLE / "src/playground/preview.ts").read_text())[0])
    connection = http.client.HTTPConnection(urlsplit(parts.stack.base_url).netloc, timeout=60)

    def press_key() -> float:
        page.type_letter()
        return float(page.value("drawn") - pause) / 1000

    def post() -> None:
        body = json.loads(page.value("sent"))
        body["input"]["html"] = "y" + body["input"]["html"]
        headers = {
            "Authorization": f"Bearer {parts.stack.test_key}",
            "Content-Type": "application/json",
        }
        connection.request("POST", "/v1/renders", json.dumps(body), headers)
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status == http.client.OK, content[:500]

    times = run_in_turns({_SENT: stopwatch(post), _TYPED: press_key}, size)
    connection.close()
    times.show(report, f"run {run}, ms")
    return times.ratio(_TYPED, _SENT)


def _build_seconds() -> float:
    vite = CONSOLE_PACKAGES_DIR / "node_modules" / ".bin" / "vite"
    with tempfile.TemporaryDirectory() as target:
        build = [str(vite), "build", str(_CONSOLE), "--logLevel", "error", "--outDir", target]
        started = time.perf_counter()
        path = f"{COMMANDS_DIR}:{os.environ.get('PATH', os.defpath)}"
        subprocess.run([*build, "--emptyOutDir"], check=True, env={**os.environ, "PATH": path})
        return time.perf_counter() - started
