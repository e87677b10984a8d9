"""Watch of a template folder: each save is pushed, and a preview of it rendered."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from infra.operator.api.page_assets import referenced_files
from infra.operator.api.problem import Place, ProblemError
from infra.operator.api.push_template import PushedTemplate, place_in_folder, push_template
from infra.operator.api.render_request import output_options, template_input, write_files
from infra.operator.api.service_api import Answer, ServiceApi, UnreachableError
from infra.operator.output import CommandError

_PAUSE_S: Final = 0.3
# Statuses of a service that is being restarted, or of what stands before it.
_UNAVAILABLE: Final = {502, 503, 504}
# A pushed template, its render and the files of the preview; or why there are none.
type Preview = tuple[PushedTemplate, Answer, list[dict[str, object]]]


def previews(
    api: ServiceApi, folder: Path, out: Path, *, force: bool
) -> Iterator[Preview | CommandError]:
    """Yield a preview, or the reason why there is none, at the start and at each save; endless.

    A service that does not answer is tried again until it does; the first failure is told.
    """
    seen: dict[str, tuple[int, int]] | None = None
    is_away = False
    while True:
        state = _saved_files(folder, out)
        if state != seen or is_away:
            try:
                yield preview_template(api, folder, out, force=force)
            except CommandError as reason:
                was_away, is_away = is_away, _is_away(reason)
                if not (was_away and is_away):
                    yield reason
                seen = state
            else:
                is_away, seen = False, state
        time.sleep(_PAUSE_S)


def preview_template(api: ServiceApi, folder: Path, out: Path, *, force: bool) -> Preview:
    """Push a folder and render its draft with the default dataset into `out`."""
    pushed = push_template(api, folder, force=force)
    files = pushed.files
    texts = [text for name, text in files.texts.items() if name != "css"]
    css = [files.texts["css"]] if "css" in files.texts else []
    assets = {path: folder / path for path in referenced_files(folder, texts, css)}
    data = files.datasets[files.default_dataset] if files.default_dataset else {}
    body = {
        "input": template_input(api, pushed.id, assets),
        "version": "draft",
        "data": data,
        "output": output_options({}, (), (), out),
    }

    def place(member: str, line: int, column: int) -> Place | None:
        return place_in_folder(folder, files, member, (line, column))

    try:
        render = api.render(body)
    except ProblemError as problem:
        raise problem.at_place(place) from problem
    return pushed, render, write_files(api, render, out)


def _is_away(reason: CommandError) -> bool:
    is_unavailable = (
        isinstance(reason, ProblemError) and reason.problem.get("status") in _UNAVAILABLE
    )
    return is_unavailable or isinstance(reason, UnreachableError)


def _saved_files(folder: Path, out: Path) -> dict[str, tuple[int, int]]:
    """Return times and sizes of the files of a folder, without what the tool itself writes."""
    own = {out.resolve(), (folder / "template.lock.json").resolve()}
    found: dict[str, tuple[int, int]] = {}
    for path in folder.rglob("*"):
        if path.resolve() in own or any(
            part.startswith(".") for part in path.relative_to(folder).parts
        ):
            continue
        try:
            status = path.stat()
        except OSError:
            # An editor has replaced it meanwhile.
            continue
        found[str(path)] = (status.st_mtime_ns, status.st_size)
    return found
