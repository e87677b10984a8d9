"""Push of a template folder: the draft, name and datasets of a template become what it holds."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from infra.operator.api.problem import Place, ProblemError
from infra.operator.api.remote_template import RemoteTemplate, read_remote
from infra.operator.api.service_api import ServiceApi
from infra.operator.api.template_folder import TemplateFiles, read_folder
from infra.operator.api.template_lock import LockEntry, read_lock, write_lock
from infra.operator.output import CommandError

_NOT_FOUND: Final = ("template_not_found", "template_deleted")


@dataclass(frozen=True, slots=True)
class PushedTemplate:
    """Template after a push, and what the push has changed."""

    id: str
    revision: int
    files: TemplateFiles
    changes: list[str] = field(default_factory=list)
    version: int | None = None

    def row(self) -> dict[str, object]:
        """Return the push for people and programs."""
        return {
            "id": self.id,
            "name": self.files.name,
            "status": "changed" if self.changes else "nothing has changed",
            "changes": self.changes,
            "revision": self.revision,
            "published_version": self.version,
        }


def push_template(
    api: ServiceApi, folder: Path, *, template_id: str | None = None, force: bool = False
) -> PushedTemplate:
    """Make the draft of a folder's template what the folder holds.

    A folder without a template gets a new one. A draft that has changed since the last push or
    pull is not replaced without `force`. Raises CommandError.
    """
    files = read_folder(folder)
    lock = read_lock(folder, api.base_url)
    if template_id is not None and (lock is None or lock.id != template_id):
        # No draft has this revision: the first push into a template needs `force`, or a pull.
        lock = LockEntry(template_id, 0, "")
    pushed = _create(api, files) if lock is None else _update(api, files, lock, force=force)
    write_lock(folder, api.base_url, LockEntry(pushed.id, pushed.revision, files.digest()))
    return pushed


def publish_template(api: ServiceApi, pushed: PushedTemplate, note: str | None) -> PushedTemplate:
    """Publish the draft, unless the live version has its content and name already."""
    template = api.call("GET", f"/templates/{pushed.id}")
    live = template["live_version"]
    if live is not None:
        version = api.call("GET", f"/templates/{pushed.id}/versions/{live['number']}")
        if version["draft_revision"] == pushed.revision:
            return pushed
    body = {"revision": pushed.revision, **({} if note is None else {"note": note})}
    published = api.call("POST", f"/templates/{pushed.id}/publish", body)
    changes = [*pushed.changes, f"published version {published['number']}"]
    return PushedTemplate(pushed.id, pushed.revision, pushed.files, changes, published["number"])


def place_in_folder(
    folder: Path, files: TemplateFiles, member: str, place: tuple[int, int]
) -> Place | None:
    """Return the place in a file of a line and a column of a member of the template."""
    name = member.removeprefix("output.pdf.").removesuffix(".html") or "html"
    text = files.expanded.get(name)
    if text is None:
        return None
    found = text.place(*place)
    return found._replace(file=str(folder / found.file))


def _create(api: ServiceApi, files: TemplateFiles) -> PushedTemplate:
    datasets = [
        {"name": name, "data": data, "is_default": name == files.default_dataset}
        for name, data in files.datasets.items()
    ]
    about = {"name": files.name, "type": files.type, "description": files.description}
    body = {**about, **files.source(), "datasets": datasets}
    template = api.call("POST", "/templates", body)
    return PushedTemplate(template["id"], template["draft_revision"], files, ["created"])


def _update(
    api: ServiceApi, files: TemplateFiles, lock: LockEntry, *, force: bool
) -> PushedTemplate:
    try:
        remote = read_remote(api, lock.id)
    except ProblemError as problem:
        if problem.code not in _NOT_FOUND or lock.revision == 0:
            raise
        message = f"{problem.message} Delete its entry of template.lock.json for a new template."
        raise CommandError(problem.code, message) from problem
    if remote.files.type != files.type:
        message = f"{lock.id} is of type {remote.files.type}, the folder of type {files.type}: "
        message += "a template keeps its type; push the folder as a new template"
        raise CommandError("validation_error", message)
    revision, changes = remote.revision, []
    if _differs(files, remote, lock):
        revision = _replace_draft(api, files, remote, None if force else lock)
        changes.append("draft")
    changes += _change_about(api, files, remote)
    changes += _change_datasets(api, files, remote)
    return PushedTemplate(lock.id, revision, files, changes)


def _differs(files: TemplateFiles, remote: RemoteTemplate, lock: LockEntry) -> bool:
    is_as_pushed = remote.revision == lock.revision and files.digest() == lock.digest
    return not is_as_pushed and files.source() != remote.files.source()


def _replace_draft(
    api: ServiceApi, files: TemplateFiles, remote: RemoteTemplate, lock: LockEntry | None
) -> int:
    if lock is not None and remote.revision != lock.revision:
        known = f"{lock.revision} when this folder was last pushed or pulled"
        if lock.revision == 0:
            known = "never pushed or pulled by this folder"
        message = (
            f"the draft of {lock.id} has revision {remote.revision}, and was {known}: "
            "pull it (git shows the differences), or replace it by --force"
        )
        raise CommandError("draft_revision_conflict", message)
    body = {**files.source(), "revision": remote.revision}
    draft = api.call("PUT", f"/templates/{remote.id}/draft", body)
    return int(draft["revision"])


def _change_about(api: ServiceApi, files: TemplateFiles, remote: RemoteTemplate) -> Iterator[str]:
    wanted = {"name": files.name, "description": files.description}
    existing = {"name": remote.files.name, "description": remote.files.description}
    changed = {name: value for name, value in wanted.items() if value != existing[name]}
    if changed:
        api.call("PATCH", f"/templates/{remote.id}", changed)
    yield from changed


def _change_datasets(
    api: ServiceApi, files: TemplateFiles, remote: RemoteTemplate
) -> Iterator[str]:
    path = f"/templates/{remote.id}/datasets"
    # First, since a template has 50 at most.
    for name in remote.files.datasets.keys() - files.datasets.keys():
        api.call("DELETE", f"{path}/{remote.dataset_ids[name]}")
        yield f"deleted dataset {name}"
    for name, data in files.datasets.items():
        is_default = name == files.default_dataset
        becomes_default = is_default and remote.files.default_dataset != name
        if remote.files.datasets.get(name) == data and not becomes_default:
            continue
        body = {"name": name, "data": data, "is_default": True if is_default else None}
        if name in remote.dataset_ids:
            api.call("PUT", f"{path}/{remote.dataset_ids[name]}", body)
        else:
            api.call("POST", path, body)
        yield f"dataset {name}"
