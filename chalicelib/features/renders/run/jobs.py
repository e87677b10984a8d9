"""Jobs of renders: their JSON in invocations and the bucket, and the context of their runs."""

from collections.abc import Mapping
from functools import partial
from typing import Final

import msgspec

from chalicelib.core.json import Json, JsonObject, OpaqueObject
from chalicelib.core.message_version import check_version
from chalicelib.engine.job import Job, JobContext, PageJob, UploadReader
from chalicelib.engine.schemas.check_schemas import CheckSchemas

_VERSION: Final = 5
# A body of the previous version may wait in a queue during a deployment.
_PREVIOUS_VERSION: Final = 4


class _PreviousBody(msgspec.Struct, frozen=True):
    """Body of version 4; its `input` also has what the stored template added to the request."""

    input: OpaqueObject
    output: OpaqueObject
    includes: Mapping[str, Mapping[str, str]]
    data: OpaqueObject | None
    data_url: str | None

    def to_json(self) -> JsonObject:
        """Return the JSON of the present version."""
        source: JsonObject = self.input
        if source["type"] == "einvoice":
            return {**source, "kind": "einvoice", "filename": self.output["filename"]}
        default, schema = source.get("einvoice"), source.get("schema")
        if source["type"] == "template":
            content = {**source, "type": "canvas" if "scene" in source else "html"}
            source = {**source, "content": content}
        omission = default["left_out"] if isinstance(default, Mapping) else None
        return {
            "kind": "page",
            "source": source,
            "output": self.output,
            "data": self.data,
            "data_url": self.data_url,
            "schema": schema,
            "includes": [self.includes["sources"], self.includes["problems"]],
            "einvoice_default": omission and {"einvoice": default, "omission": omission},
        }


def job_to_json(job: Job) -> dict[str, Json]:
    """Return a job as JSON, for an invocation or an object."""
    return {"v": _VERSION, **msgspec.to_builtins(job)}


def job_from_json(value: JsonObject) -> Job:
    """Return the job of JSON that `job_to_json` returned; raises UnknownVersion."""
    if value.get("v") == _PREVIOUS_VERSION:
        value = {"v": _VERSION, **msgspec.convert(value, _PreviousBody).to_json()}
    check_version(value, _VERSION, "a body")
    job: Job = msgspec.convert(value, Job)
    return job


def job_context(
    job: Job, *, deadline: float, uploads: UploadReader, schemas: CheckSchemas, test: bool
) -> JobContext:
    """Return the context of a run of a job."""
    schema = job.schema if isinstance(job, PageJob) else None
    return JobContext(
        deadline=deadline,
        uploads=uploads,
        check_data=partial(schemas.check_data, schema),
        test=test,
    )
