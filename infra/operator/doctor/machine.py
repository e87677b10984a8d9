"""Checks of this machine: parts and their versions, walls, fonts, validators, disk and clock."""

import ctypes
import importlib.metadata
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from chalicelib.core.version import VERSION
from chalicelib.engine.versions import ENGINE_VERSIONS
from infra.local.paths import INSTALL_DIR
from infra.operator.doctor.findings import Finding
from infra.template import ROOT

_INSTALL: Final = "run `make setup`, then start the service again"
_LOCKS: Final = (
    "requirements.txt",
    "infra/package/requirements-engine.txt",
    "infra/package/requirements-pdf-tools.txt",
    "infra/package/requirements-storage.txt",
)
_TESTED_LOCK: Final = "requirements-dev.txt"
# Of the service of one machine only.
_LOCAL_PACKAGES: Final = ("click", "prometheus-client", "psutil", "pyyaml", "rich", "waitress")
# Folders of parts that have another name.
_PLACES: Final = {"dynoxide": "bin"}
_PIN: Final = re.compile(r"^([a-z0-9-]+)(?:\[[^]]*\])?==([^ \\;]+)", re.MULTILINE)
_SELF_TEST_S: Final = 60.0
_VALIDATION_S: Final = 120.0
# Free disk that lasts for a while.
_COMFORTABLE: Final = 4
# Files that a disk must have room for.
_MIN_INODES: Final = 10_000
# A wall clock may be slewed by this part of a second in a second; more is a jump.
_MAX_DRIFT_S: Final = 0.5
# adjtimex(2): the kernel's clock is not synchronized.
_TIME_ERROR: Final = 5
_MB: Final = 1_000_000


def check_versions() -> Iterator[Finding]:
    """Yield the versions of the service and of Python."""
    engine = ENGINE_VERSIONS[-1]
    python = ".".join(map(str, sys.version_info[:3]))
    detail = f"Platen {VERSION}, engine {engine.id}, Chromium {engine.chromium_version}"
    if sys.version_info[:2] == (3, 13):
        yield Finding("versions", "ok", f"{detail}, Python {python}")
    else:
        yield Finding("versions", "error", f"Python {python}, not 3.13", "install Python 3.13")


def check_packages(root: Path = ROOT) -> Iterator[Finding]:
    """Yield whether the installed Python packages are the pinned ones."""
    pins = _package_pins(root)
    if not pins:
        yield Finding("packages", "skipped", f"no lock files in {root}")
        return
    wrong = []
    for name, pinned in pins.items():
        try:
            installed = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            installed = "missing"
        if installed != pinned:
            wrong.append(f"{name} {installed} (pinned: {pinned})")
    if wrong:
        yield Finding("packages", "error", ", ".join(wrong), _INSTALL)
    else:
        yield Finding("packages", "ok", f"{len(pins)} packages are the pinned ones")


def _package_pins(root: Path) -> dict[str, str]:
    pins: dict[str, str] = {}
    for name in _LOCKS:
        if (root / name).is_file():
            pins |= dict(_PIN.findall((root / name).read_text(encoding="utf-8")))
    tested = root / _TESTED_LOCK
    if tested.is_file():
        all_pins = dict(_PIN.findall(tested.read_text(encoding="utf-8")))
        pins |= {name: all_pins[name] for name in _LOCAL_PACKAGES}
    return pins


def check_parts(folder: Path = INSTALL_DIR) -> Iterator[Finding]:
    """Yield whether the other installed parts are those that the pins of this release name."""
    try:
        builds = _part_builds()
    except ImportError as absent:
        yield Finding("parts", "skipped", f"no pins of parts are installed here ({absent.name})")
        return
    from layers.npm import is_current

    for name, build in builds.items():
        place = folder / _PLACES.get(name, name)
        if is_current(build, place):
            yield Finding(f"parts: {name}", "ok", "the pinned version")
        else:
            reason = "another version" if place.exists() else "missing"
            yield Finding(f"parts: {name}", "error", f"{place}: {reason}", _INSTALL)
    yield _check_ministack(folder)


def _part_builds() -> Mapping[str, Callable[[Path], None]]:
    from infra.setup import dynoxide
    from layers.chromium import build as chromium
    from layers.fonts import build as fonts
    from layers.pages import build as pages

    return {
        "chromium": chromium.build,
        "fonts": fonts.build,
        "pages": pages.build,
        "dynoxide": dynoxide.build,
    }


def _check_ministack(folder: Path) -> Finding:
    lock = ROOT / "infra" / "local" / "ministack-requirements.txt"
    pinned = dict(_PIN.findall(lock.read_text(encoding="utf-8")))["ministack"]
    found = [
        path.name.removeprefix("ministack-").removesuffix(".dist-info")
        for path in folder.glob("ministack/lib/python*/site-packages/ministack-*.dist-info")
    ]
    if found == [pinned]:
        return Finding("parts: ministack", "ok", "the pinned version")
    installed = ", ".join(found) or "missing"
    return Finding("parts: ministack", "error", f"{installed} (pinned: {pinned})", _INSTALL)


def check_walls() -> Iterator[Finding]:
    """Start the browser and the template process, and yield the walls that they lack."""
    from chalicelib.engine.browser.chromium.installation import (
        BrowserMissingError,
        check_temporary_folder,
    )
    from chalicelib.engine.browser.pool.lifecycle import Browser
    from chalicelib.engine.browser.tab.warm_up import BrowserUnusableError
    from chalicelib.engine.ports import NoEgress
    from chalicelib.engine.sandbox.walls import Walls
    from chalicelib.engine.templating.worker import TemplateWorker

    walls = Walls(may_miss=True)
    templates = TemplateWorker(walls=walls)
    try:
        check_temporary_folder()
        browser = Browser(
            _installed("PLATEN_CHROMIUM_DIR", "chromium"),
            _installed("PLATEN_FONTS_DIR", "fonts"),
            egress=NoEgress(),
            sandbox=os.environ.get("PLATEN_BROWSER_SANDBOX") != "off",
            walls=walls,
        )
        try:
            browser.start()
            templates.prove_walls(time.time() + _SELF_TEST_S)
        finally:
            browser.close()
            templates.close()
    except (BrowserMissingError, BrowserUnusableError) as broken:
        yield Finding("browser", "error", str(broken), f"{_INSTALL}; see also the check of walls")
        yield Finding("walls", "skipped", "there is no browser to put them around")
        return
    yield Finding("browser", "ok", "it starts and makes a page")
    if walls.missing:
        yield Finding(
            "walls",
            "error",
            f"missing around documents: {', '.join(walls.missing)}",
            "allow user namespaces (sysctl user.max_user_namespaces), or let the service isolate "
            "workspaces with PLATEN_LOCAL_TENANCY=workspace",
        )
    else:
        yield Finding("walls", "ok", "all are around the browser and the templates")


def check_fonts() -> Iterator[Finding]:
    """Yield whether the bundled fonts are there."""
    from chalicelib.engine.pdf.fonts.font_files import FontFiles, FontsMissingError, check_fonts

    folder = _installed("PLATEN_FONTS_DIR", "fonts")
    try:
        check_fonts(folder)
    except FontsMissingError as missing:
        yield Finding("fonts", "error", str(missing), _INSTALL)
        return
    needed = ("fonts.conf", "families.json", "characters.json", "cache")
    absent = [name for name in needed if not (folder / name).exists()]
    if absent:
        yield Finding("fonts", "error", f"{folder} lacks {', '.join(absent)}", _INSTALL)
    else:
        yield Finding("fonts", "ok", f"{len(FontFiles(folder))} font files")


def check_validators() -> Iterator[Finding]:
    """Let the validators prove themselves on a valid and an invalid document of two kinds."""
    from chalicelib.engine.conformance.checks import ConformanceCheck
    from chalicelib.engine.conformance.local_validator import LocalValidator
    from chalicelib.engine.conformance.validator_installation import (
        ValidatorUnavailableError,
        load_installation,
    )
    from chalicelib.engine.deadline import Deadline

    folder = _installed("PLATEN_VALIDATORS_DIR", "validators")
    try:
        installation = load_installation(folder)
    except ValidatorUnavailableError as absent:
        yield Finding("validators", "error", str(absent), _INSTALL)
        return
    invoice = min(installation.plan["kinds"])
    kinds: Mapping[str, ConformanceCheck] = {
        "pdf-3a": ConformanceCheck.pdfa("3a"),
        invoice: ConformanceCheck("einvoice", invoice, invoice),
    }
    validator = LocalValidator(folder)
    try:
        for kind, check in kinds.items():
            document = installation.self_test_document(kind)
            deadline = Deadline.after(_VALIDATION_S)
            (verdict,) = validator.validate(document, [check], deadline)
            name = f"validators: {kind}"
            if verdict.findings is None:
                yield Finding(name, "error", verdict.why, _INSTALL)
            else:
                yield Finding(name, "ok", str(verdict.validator))
    finally:
        validator.close()


def check_disk(folder: Path) -> Iterator[Finding]:
    """Yield whether there is room on the disks of data and of temporary files."""
    from infra.local.monitoring.readiness import min_free_bytes

    least = min_free_bytes()
    temporary = Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 -- where the service writes
    for name, place in {"data": folder, "temporary files": temporary}.items():
        check = f"disk: {name}"
        if not place.is_dir():
            yield Finding(check, "skipped", f"{place} does not exist yet")
            continue
        usage, files = shutil.disk_usage(place), os.statvfs(place)
        detail = f"{usage.free // _MB} MB are free at {place}"
        advice = f"make room there, below PLATEN_MIN_FREE_MB={least // _MB} /readyz answers 503"
        if usage.free < least:
            yield Finding(check, "error", detail, advice)
        elif files.f_files and files.f_favail < _MIN_INODES:
            detail = f"there is room for {files.f_favail} more files at {place}"
            yield Finding(check, "error", detail, "delete small files there, or add inodes")
        elif usage.free < _COMFORTABLE * least:
            yield Finding(check, "warning", detail, advice)
        else:
            yield Finding(check, "ok", detail)


class ClockCheck:
    """Check of the clock over the time from its creation on."""

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        kernel_state: Callable[[], int | None] | None = None,
    ) -> None:
        """Begin; the clocks can be given."""
        self._wall, self._monotonic = wall, monotonic
        self._kernel_state = kernel_state or _kernel_clock_state
        self._began = wall() - monotonic()

    def __call__(self) -> Iterator[Finding]:
        """Yield whether the wall clock went on evenly, and whether the kernel trusts it."""
        jump_s = self._wall() - self._monotonic() - self._began
        if abs(jump_s) > _MAX_DRIFT_S:
            yield Finding(
                "clock: jumps",
                "error",
                f"it jumped by {jump_s:+.1f} s meanwhile",
                "let one service set the clock (chrony, systemd-timesyncd), and slew it",
            )
        else:
            yield Finding("clock: jumps", "ok", "it did not jump meanwhile")
        state = self._kernel_state()
        if state is None:
            yield Finding("clock: kernel", "skipped", "the kernel does not tell")
        elif state == _TIME_ERROR:
            yield Finding(
                "clock: kernel",
                "warning",
                "the kernel says that nothing synchronizes the clock",
                "run chrony or systemd-timesyncd: signatures, links and key expiry need the time",
            )
        else:
            yield Finding("clock: kernel", "ok", "it is synchronized")


def _kernel_clock_state() -> int | None:
    """Return what adjtimex(2) returns, or None where it is not to be had; it changes nothing."""
    try:
        # `modes` is the first member, and 0 only reads; the structure has 208 bytes on 64 bits.
        state: int = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.create_string_buffer(512))
    except (AttributeError, OSError):
        return None
    return None if state < 0 else state


def _installed(variable: str, part: str) -> Path:
    return Path(os.environ.get(variable) or INSTALL_DIR / part)
