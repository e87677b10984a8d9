"""Runs the steps of the set-up, side by side where they allow it. Standard library only."""

import sys
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from infra.setup.steps import INSTALL_DIR, SetupError, SetupStep, setup_steps
from layers.validators.tools import INSTALL_COMMAND, missing_tools


def main(arguments: Sequence[str]) -> int:
    """Install what is missing, or with `--done` only tell; return the exit status."""
    pending = [step for step in setup_steps(_interpreter()) if not step.is_done()]
    if pending and "--done" in arguments:
        return 1
    _warn_of_missing_tools()
    if not pending:
        return 0
    began = time.monotonic()
    _say(f"installing {', '.join(step.title for step in pending)}")
    try:
        _run_all(pending, began)
    except SetupError as error:
        sys.stderr.write(f"{error}\n\nset-up failed; `make setup` takes it up where it stopped\n")
        return 1
    _say(f"installed in {time.monotonic() - began:.0f} s")
    return 0


def _run_all(pending: Sequence[SetupStep], began: float) -> None:
    waiting = list(pending)
    running: dict[Future[None], SetupStep] = {}
    with ThreadPoolExecutor(max_workers=len(waiting)) as threads:
        while waiting or running:
            unfinished = {step.name for step in [*waiting, *running.values()]}
            for step in [step for step in waiting if not unfinished.intersection(step.after)]:
                waiting.remove(step)
                running[threads.submit(step.run)] = step
                _say(f"{_elapsed(began)} {step.title} …")
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                step = running.pop(future)
                future.result()
                _say(f"{_elapsed(began)} {step.title}: done")


def _warn_of_missing_tools() -> None:
    lacking = missing_tools()
    if lacking and not (INSTALL_DIR / "validators").exists():
        _say(
            f"missing: {' and '.join(lacking)} -- install with: {INSTALL_COMMAND}\n"
            "Without, verdicts on PDF/A, PDF/UA and e-invoices are `unavailable`; `make test` "
            "needs them."
        )


def _interpreter() -> str:
    """Return the Python that virtual environments are made from, never one inside them."""
    base = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    return str(base if base.exists() else Path(sys.executable))


def _elapsed(began: float) -> str:
    return f"{time.monotonic() - began:6.1f} s"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
