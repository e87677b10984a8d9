"""`python -m infra.setup`: run the set-up steps, in parallel where they are independent.

With `--checks` also those that `make check` needs, with `--tests` those that tests need, too.
With `--image` those of a container image, which has no packages of development, and runs on another
machine.
"""

import sys
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from infra.setup import namespaces
from infra.setup.plan import setup_steps
from infra.setup.steps import SetupError, SetupStep


def main(arguments: Sequence[str]) -> int:
    """Run the pending steps, or with `--done` only check; return the exit status."""
    for_image = "--image" in arguments
    steps = setup_steps(
        _interpreter(),
        for_tests="--tests" in arguments,
        for_checks="--checks" in arguments,
        for_image=for_image,
    )
    pending = [step for step in steps if not step.is_done()]
    if pending and "--done" in arguments:
        return 1
    if not pending:
        return 0
    if not for_image and namespaces.are_missing():
        sys.stderr.write(f"{namespaces.MISSING}\n")
        return 1
    started = time.monotonic()
    _print(f"installing {', '.join(step.title for step in pending)}")
    try:
        _run_all(pending, started)
    except SetupError as error:
        sys.stderr.write(f"{error}\n\nset-up failed; `make setup` takes it up where it stopped\n")
        return 1
    _print(f"installed in {time.monotonic() - started:.0f} s")
    return 0


def _run_all(pending: Sequence[SetupStep], started: float) -> None:
    waiting = list(pending)
    running: dict[Future[None], SetupStep] = {}
    with ThreadPoolExecutor(max_workers=len(waiting)) as threads:
        while waiting or running:
            unfinished = {step.name for step in [*waiting, *running.values()]}
            for step in [step for step in waiting if not unfinished.intersection(step.after)]:
                waiting.remove(step)
                running[threads.submit(step.run)] = step
                _print(f"{_elapsed_text(started)} {step.title} …")
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                step = running.pop(future)
                future.result()
                _print(f"{_elapsed_text(started)} {step.title}: done")


def _interpreter() -> str:
    """Return the base Python, from which virtual environments are made."""
    base = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    return str(base if base.exists() else Path(sys.executable))


def _elapsed_text(started: float) -> str:
    return f"{time.monotonic() - started:6.1f} s"


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
