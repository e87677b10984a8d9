"""Jobs of renders: their JSON in invocations and the bucket, and the context of their runs."""

from functools import partial
from typing import Final

import msgspec

from chalicelib.adapters.aws.messages import check_version
from chalicelib.core.json import Json, JsonObject
from chalicelib.engine.job import Job, JobContext, PageJob, UploadReader
from chalicelib.features.templates.schemas import CheckSchemas

_VERSION: Final = 5


def job_to_json(job: Job) -> dict[str, Json]:
    """Return a job as JSON, for an invocation or an object."""
    return {"v": _VERSION, **msgspec.to_builtins(job)}


def job_from_json(value: JsonObject) -> Job:
    """Return the job of JSON that `job_to_json` returned; raises UnknownVersion."""
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
