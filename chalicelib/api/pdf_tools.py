"""`/v1/pdf-tools/{tool}`: for each tool a route, and a second one for the check of its request."""

from typing import TYPE_CHECKING, Final, cast

from chalice.app import Blueprint

from chalicelib.api.edge.endpoint import JSON, Call, Reply, endpoint
from chalicelib.api.render._preflight import PREFLIGHT_FIELDS, preflight_reply
from chalicelib.api.render._render_command import pdf_tool_command
from chalicelib.api.render._submit import ENDPOINT_FIELDS, submit_command
from chalicelib.engine.pdf_tools import TOOLS, PdfTool

if TYPE_CHECKING:
    from chalicelib.contract.pdf_tools.source import ToolRequest

blueprint: Final = Blueprint(__name__)

_TAG: Final = "PDF tools"
_PDF: Final = "application/pdf"
_TEXT: Final = "text/plain"
_FILE_TYPES: Final = {
    "split": (_PDF, "application/zip"),
    "to-images": ("image/png", "image/jpeg", "image/webp"),
    "to-text": (_TEXT,),
    "validate": (),
}
# The names of the views of tools whose name does not go before `pdf` as a verb.
_VIEW_NAMES: Final = {
    "merge": "merge_pdfs",
    "extract-pages": "extract_pdf_pages",
    "delete-pages": "delete_pdf_pages",
    "reorder": "reorder_pdf_pages",
    "rotate": "rotate_pdf_pages",
    "metadata": "set_pdf_metadata",
    "attach": "attach_files_to_pdf",
    "fill-form": "fill_pdf_form",
    "to-images": "convert_pdf_to_images",
    "to-text": "convert_pdf_to_text",
    "pdfa": "convert_pdf_to_pdfa",
}
# Problems of renders that have a page, a template or an e-invoice.
_PAGE_PROBLEMS: Final = (
    *("template_not_allowed_for_key", "template_not_found", "template_deleted"),
    *("version_not_found", "template_syntax_error", "template_runtime_error"),
    *("template_fuel_exhausted", "data_invalid", "data_schema_mismatch", "data_url_fetch_failed"),
    *("scene_invalid", "navigation_failed", "einvoice_invalid", "einvoice_validation_failed"),
    "pdfua_validation_failed",
)
_DESCRIPTION: Final = """The request makes a render: modes, delivery, storage, webhook, idempotency
and price are those of `POST /v1/renders`. Its `input` has `type` `pdf` and the tool."""
_PREFLIGHT: Final = """It takes the body of `POST /v1/pdf-tools/{}` and costs nothing. `errors` are
the reasons for which that request would be refused before its PDF is opened."""


def _add_routes(tool: PdfTool) -> None:
    model = f"{tool.name.title().replace('-', '')}Request"
    body = f"chalicelib.contract.pdf_tools.requests:{model}"

    def make(call: Call) -> Reply:
        return submit_command(call, pdf_tool_command(call, tool.name, call.body))

    def check(call: Call) -> Reply:
        return preflight_reply(
            call, lambda request: pdf_tool_command(call, tool.name, cast("ToolRequest", request))
        )

    make.__name__ = _VIEW_NAMES.get(tool.name, f"{tool.name}_pdf")
    make.__doc__ = f"{tool.summary}.\n\n{_DESCRIPTION}"
    check.__name__ = f"preflight_{make.__name__}"
    check.__doc__ = f"Check a request of `{tool.name}`.\n\n{_PREFLIGHT.format(tool.name)}"
    problems = [code for code in ENDPOINT_FIELDS["problems"] if code not in _PAGE_PROBLEMS]
    problems += ["not_found", "invalid_pdf_source", "pdf_password_required"]
    types = (JSON, *_FILE_TYPES.get(tool.name, (_PDF,)))
    row = {**ENDPOINT_FIELDS, "tag": _TAG, "problems": tuple(problems), "answer_types": types}
    path = f"/v1/pdf-tools/{tool.name}"
    blueprint.route(path, methods=["POST"])(endpoint(body=body, **row)(make))
    blueprint.route(f"{path}/preflight", methods=["POST"])(
        endpoint(**PREFLIGHT_FIELDS, body=body, tag=_TAG)(check)
    )


for _tool in TOOLS:
    _add_routes(_tool)
