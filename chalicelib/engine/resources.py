"""What a request names beside its document: attachments and the watermark's picture."""

from base64 import b64decode
from collections.abc import Mapping

from chalicelib.engine.job import Job
from chalicelib.engine.options.pdf import Source
from chalicelib.engine.outside import Outside


def resources_of(job: Job, outside: Outside) -> Mapping[Source, bytes]:
    """Fetch all that the job's PDF needs, each once.

    Raises RenderFailure `attachment_failed`, `url_not_allowed`, `asset_fetch_failed` or
    `upload_not_found`.
    """
    pdf = job.output.pdf
    sources = [attachment.source for attachment in pdf.attachments]
    if pdf.watermark is not None and pdf.watermark.image is not None:
        sources.append(pdf.watermark.image)
    return {source: _bytes_of(source, job, outside) for source in dict.fromkeys(sources)}


def _bytes_of(source: Source, job: Job, outside: Outside) -> bytes:
    if source.content is not None:
        return b64decode(source.content)
    if source.upload_id is not None:
        return job.uploads(source.upload_id)
    assert source.url is not None
    return outside.fetch(source.url, most_bytes=20_000_000, timeout_s=10).content
