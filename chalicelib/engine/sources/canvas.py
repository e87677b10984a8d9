"""Canvas source: a scene that is drawn over the job's data."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, override

import msgspec

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import OpaqueObject, strings_in
from chalicelib.engine.sources.source import SourceBase
from chalicelib.engine.sources.source_document import (
    JobTexts,
    SourceDocument,
    TemplateRunner,
    render_output_texts,
)

if TYPE_CHECKING:
    from chalicelib.engine.context import JobContext
    from chalicelib.engine.job import PageJob


class CanvasSource(SourceBase, frozen=True, tag="canvas"):
    """Scene of the contract; the texts of its layers are templates."""

    scene: OpaqueObject

    @property
    @override
    def has_templates(self) -> bool:
        return True

    @property
    @override
    def invalid_data_code(self) -> str:
        return "data_invalid"

    @override
    def texts(self) -> Iterator[str]:
        yield from strings_in(self.scene)

    @override
    def document(
        self, job: "PageJob", context: "JobContext", templates: TemplateRunner
    ) -> SourceDocument:
        # Few documents are scenes: a cold start does not import these modules.
        from chalicelib.engine.browser.output.pictures import check_sizes  # noqa: PLC0415
        from chalicelib.engine.canvas.page import canvas_page  # noqa: PLC0415
        from chalicelib.engine.canvas.scene import scene_invalid  # noqa: PLC0415
        from chalicelib.engine.canvas.unused_data import unused_data  # noqa: PLC0415

        texts = JobTexts(templates, job, context)
        page = canvas_page(
            self.scene,
            job.data or {},
            render_output_texts(job.output, texts.run),
            run_template=partial(texts.run, more={}, escape=False, name="scene"),
            uploads=context.uploads,
            deadline=context.time_limit,
        )
        try:
            check_sizes(page.output)
        except RenderFailure as failure:
            raise scene_invalid("scene", failure.detail) from failure
        unused = unused_data(job.data or {}, _texts_of(job))
        return SourceDocument(
            page.html,
            page.output,
            is_canvas=True,
            warnings=(*page.warnings, *texts.warnings, *unused),
        )


def _texts_of(job: "PageJob") -> Iterator[str]:
    """Yield all texts of a job that may name data: also those of its output and its delivery."""
    yield from job.includes.sources.values()
    for part in (job.source, job.output, job.einvoice_default, job.emails, job.storage):
        yield from strings_in(msgspec.to_builtins(part))
