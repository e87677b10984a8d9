"""Template of a service, read in the form that a folder has."""

from collections.abc import Mapping
from typing import Final, NamedTuple, cast

from chalicelib.core.json import Json, JsonObject
from infra.operator.api.service_api import Answer, ServiceApi
from infra.operator.api.template_folder import TEXT_FILES, TemplateFiles
from infra.operator.output import CommandError


class RemoteTemplate(NamedTuple):
    """A template with the revision of its draft and the ids of its datasets by their names."""

    id: str
    revision: int
    files: TemplateFiles
    dataset_ids: Mapping[str, str]


def read_remote(api: ServiceApi, template_id: str) -> RemoteTemplate:
    """Return a template with its draft and its datasets; raises CommandError."""
    template = api.call("GET", f"/templates/{template_id}")
    draft = api.call("GET", f"/templates/{template_id}/draft")
    datasets = _datasets(api, template_id)
    names = [row["name"] for row in datasets]
    if twice := {name for name in names if names.count(name) > 1}:
        message = f"{template_id} has several datasets {min(twice)}: give them other names"
        raise CommandError("conflict", message)
    content = draft["content"]
    texts: Final = {
        member: _html(content.get(member))
        for member in TEXT_FILES.values()
        if _html(content.get(member)) is not None
    }
    files = TemplateFiles(
        name=template["name"],
        type=template["type"],
        description=template["description"],
        texts=cast("Mapping[str, str]", texts),
        edges={
            name: {key: value for key, value in content[name].items() if key != "html"}
            for name in ("header", "footer")
            if isinstance(content.get(name), dict)
        },
        scene=content.get("scene"),
        options=draft["options"],
        schema=draft["schema"],
        datasets={row["name"]: row["data"] for row in datasets},
        default_dataset=next((row["name"] for row in datasets if row["is_default"]), None),
    )
    ids = {row["name"]: row["id"] for row in datasets}
    return RemoteTemplate(template_id, draft["revision"], files, ids)


def _datasets(api: ServiceApi, template_id: str) -> list[Answer]:
    path = f"/templates/{template_id}/datasets"
    return [api.call("GET", f"{path}/{row['id']}") for row in api.all_rows(path)]


def _html(value: Json) -> Json:
    return cast("JsonObject", value).get("html") if isinstance(value, dict) else value
