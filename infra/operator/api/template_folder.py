"""Folder of a template: its texts, options, schema, datasets and partials as files."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, cast
from urllib.parse import quote, unquote

from chalicelib.core.json import Json, JsonObject, canonical_bytes
from infra.operator.api import partials
from infra.operator.api.page_assets import read_file
from infra.operator.api.partials import ExpandedText, collapse, expand
from infra.operator.api.render_request import read_object, write_file
from infra.operator.output import CommandError

# Members of a template's content, by the file that holds them.
TEXT_FILES: Final = {
    "template.html": "html",
    "head.html": "head",
    "style.css": "css",
    "header.html": "header",
    "footer.html": "footer",
}
_SCENE: Final = "scene.json"
_OPTIONS: Final = "options.json"
_SCHEMA: Final = "schema.json"
# Name, description, and what other files cannot say.
_ABOUT: Final = "template.json"
# The data of the default dataset, whose name is this one.
_DATA: Final = "data.json"
_DATA_NAME: Final = "Example"
_DATASETS: Final = "datasets"
# Characters of a dataset's name that no file has; they are written as in URLs.
_NOT_IN_FILES: Final = re.compile(r'[%/\\:*?"<>|\x00-\x1f]')
_ABOUT_NAMES: Final = ("name", "type", "description", "default_dataset", "header", "footer")


@dataclass(frozen=True, kw_only=True)
class TemplateFiles:
    """A template as files hold it; `texts` are the members of its content that are texts."""

    name: str
    type: str
    description: str | None
    texts: Mapping[str, str]
    # Members of a header or footer besides its HTML, which make it an object.
    edges: Mapping[str, JsonObject]
    scene: Json
    options: JsonObject
    schema: Json
    datasets: Mapping[str, JsonObject]
    default_dataset: str | None
    expanded: Mapping[str, ExpandedText] = field(default_factory=dict, compare=False)

    def source(self) -> dict[str, Json]:
        """Return the draft as a request sends it, without empty members."""
        content: dict[str, Json] = dict(self.texts)
        for name, members in self.edges.items():
            html = {"html": self.texts[name]} if name in self.texts else {}
            content[name] = {**html, **members}
        if self.scene is not None:
            content["scene"] = self.scene
        return {"content": content, "options": self.options, "schema": self.schema}

    def digest(self) -> str:
        """Return a checksum of everything."""
        datasets = {"datasets": self.datasets, "default": self.default_dataset}
        about = {"name": self.name, "type": self.type, "description": self.description}
        return sha256(canonical_bytes({**self.source(), **datasets, **about})).hexdigest()


def read_folder(folder: Path) -> TemplateFiles:
    """Return the template in a folder; raises CommandError, with the file that is at fault."""
    if not folder.is_dir():
        raise CommandError("folder_missing", f"there is no folder {folder}")
    about = _object(folder / _ABOUT) or {}
    if unknown := sorted(about.keys() - set(_ABOUT_NAMES)):
        known = ", ".join(_ABOUT_NAMES)
        message = f"{folder / _ABOUT}: {unknown[0]} is not known there; known are {known}"
        raise CommandError("validation_error", message)
    expanded = _expanded_texts(folder)
    scene = _object(folder / _SCENE)
    if not expanded and scene is None:
        message = f"{folder} holds no template: it needs template.html or {_SCENE}"
        raise CommandError("folder_missing", message)
    datasets, default = _read_datasets(folder, about)
    description = about.get("description")
    return TemplateFiles(
        name=str(about.get("name") or folder.resolve().name.replace("-", " ").capitalize()),
        type=str(about.get("type") or ("html" if scene is None else "image_canvas")),
        description=None if description is None else str(description),
        texts={member: text.text for member, text in expanded.items()},
        edges={
            name: cast("JsonObject", about[name]) for name in ("header", "footer") if name in about
        },
        scene=scene,
        options=_object(folder / _OPTIONS) or {},
        schema=_object(folder / _SCHEMA),
        datasets=datasets,
        default_dataset=default,
        expanded=expanded,
    )


def _expanded_texts(folder: Path) -> dict[str, ExpandedText]:
    def read_partial(name: str) -> str:
        return _text(folder / partials.FOLDER / name)

    return {
        member: expand(file, _text(folder / file), read_partial)
        for file, member in TEXT_FILES.items()
        if (folder / file).exists()
    }


def _read_datasets(folder: Path, about: JsonObject) -> tuple[Mapping[str, JsonObject], str | None]:
    files = sorted((folder / _DATASETS).glob("*.json"))
    datasets = {unquote(path.stem): read_object(path) for path in files}
    data = _object(folder / _DATA)
    if data is not None:
        if _DATA_NAME in datasets:
            message = f"{folder}: {_DATA} is the dataset {_DATA_NAME}, as is one of {_DATASETS}/"
            raise CommandError("validation_error", message)
        return {_DATA_NAME: data, **datasets}, _DATA_NAME
    default = about.get("default_dataset", min(datasets, default=None))
    if default is not None and default not in datasets:
        message = f"{folder / _ABOUT}: default_dataset: there is no dataset {default}"
        raise CommandError("validation_error", message)
    return datasets, None if default is None else str(default)


def write_folder(folder: Path, template: TemplateFiles) -> list[str]:
    """Make a folder hold a template, and return the files that have changed.

    A file whose content means the same stays as it is written; files of this layout that the
    template does not have are deleted, but for partials.
    """
    wanted = _wanted_texts(folder, template)
    objects = dict(_objects(template))
    changed = [file for file, text in wanted.items() if _write_text(folder / file, text)]
    changed += [file for file, value in objects.items() if _write_object(folder / file, value)]
    for file in _layout_files(folder):
        if file not in wanted and file not in objects:
            (folder / file).unlink()
            changed.append(file)
    return sorted(changed)


def _wanted_texts(folder: Path, template: TemplateFiles) -> dict[str, str]:
    """Return the texts of files; a file that means the same already keeps its text."""
    try:
        existing = _expanded_texts(folder)
    except CommandError:
        # An include of a file that is not there, which the pull may bring.
        existing = {}
    found_partials: dict[str, str] = {}
    wanted: dict[str, str] = {}
    for file, member in TEXT_FILES.items():
        if member not in template.texts:
            continue
        text = template.texts[member]
        is_same = member in existing and existing[member].text == text
        wanted[file] = _text(folder / file) if is_same else collapse(text, found_partials)
    return wanted | {f"{partials.FOLDER}/{name}": text for name, text in found_partials.items()}


def _objects(template: TemplateFiles) -> Iterator[tuple[str, JsonObject]]:
    """Yield the JSON files of a template."""
    about: dict[str, Json] = {"name": template.name, "type": template.type}
    if template.description is not None:
        about["description"] = template.description
    default = template.default_dataset
    if default not in {None, _DATA_NAME} and default != min(template.datasets, default=None):
        about["default_dataset"] = default
    yield _ABOUT, {**about, **template.edges}
    for file, value in ((_SCENE, template.scene), (_SCHEMA, template.schema)):
        if value is not None:
            yield file, cast("JsonObject", value)
    if template.options:
        yield _OPTIONS, template.options
    for name, data in template.datasets.items():
        is_data = name == _DATA_NAME == default
        stem = _NOT_IN_FILES.sub(lambda found: quote(found[0], safe=""), name)
        yield _DATA if is_data else f"{_DATASETS}/{stem}.json", data


def _layout_files(folder: Path) -> Iterator[str]:
    """Yield the files of a folder that a pull would write."""
    names = (*TEXT_FILES, _SCENE, _OPTIONS, _SCHEMA, _ABOUT, _DATA)
    yield from (name for name in names if (folder / name).is_file())
    yield from (f"{_DATASETS}/{path.name}" for path in (folder / _DATASETS).glob("*.json"))


def has_layout_files(folder: Path) -> bool:
    """Tell whether a folder holds files that a pull would write."""
    return any(_layout_files(folder))


def _write_text(path: Path, text: str) -> bool:
    is_partial = path.parent.name == partials.FOLDER
    old = _text(path) if path.is_file() else None
    if old is not None and (old == text or (is_partial and old.removesuffix("\n") + "\n" == text)):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, text.encode("utf-8"))
    return True


def _write_object(path: Path, value: JsonObject) -> bool:
    if path.is_file() and _object(path) == value:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    write_file(path, text.encode("utf-8", "surrogatepass"))
    return True


def _text(path: Path) -> str:
    try:
        return read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{path}: is not UTF-8 (byte {error.start}); save it as UTF-8"
        raise CommandError("file_unreadable", message) from None


def _object(path: Path) -> JsonObject | None:
    return read_object(path) if path.is_file() else None
