"""Canvas source: a scene that is drawn over the job's data."""

from collections.abc import Iterator
from functools import partial
from typing import override

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import OpaqueObject, strings_in
from chalicelib.engine.context import JobContext
from chalicelib.engine.sources.output_texts import TemplateTexts, render_output_texts
from chalicelib.engine.sources.source import SourceBase
from chalicelib.engine.sources.source_document import SourceDocument, SourceInputs
from chalicelib.engine.templating.template_runner import TemplateRunner


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
        self, inputs: SourceInputs, context: JobContext, templates: TemplateRunner
    ) -> SourceDocument:
        # Few documents are scenes: a cold start does not import these modules.
        from chalicelib.engine.canvas.page import canvas_page  # noqa: PLC0415
        from chalicelib.engine.canvas.scene import scene_invalid  # noqa: PLC0415
        from chalicelib.engine.canvas.unused_data import unused_data  # noqa: PLC0415
        from chalicelib.engine.picture_sizes import check_sizes  # noqa: PLC0415

        texts = TemplateTexts(templates, inputs, context)
        page = canvas_page(
            self.scene,
            inputs.data,
            render_output_texts(inputs.output, texts.run),
            run_template=partial(texts.run, more={}, escape=False, name="scene"),
            uploads=context.uploads,
            deadline=context.time_limit,
        )
        try:
            check_sizes(page.output)
        except RenderFailure as failure:
            raise scene_invalid("scene", failure.detail) from failure
        unused = unused_data(inputs.data, inputs.texts())
        return SourceDocument(
            page.html,
            page.output,
            is_canvas=True,
            warnings=(*page.warnings, *texts.warnings, *unused),
        )
