"""The document that is measured: the 40-line invoice of the examples."""

from typing import Any, Final

from jinja2 import Environment

from infra.local.demo import example_request

_A4: Final = {"paperWidth": 8.27, "paperHeight": 11.69}
_MARGIN_IN: Final = 10 / 25.4


def request() -> dict[str, Any]:
    """Return the body of `POST /v1/renders`: the page as it is after templating, binary."""
    body = example_request("invoice", "pdf")
    source = body["input"]["html"]
    html = Environment(autoescape=True).from_string(source).render(body.pop("data"))
    body["input"] = {"type": "html", "html": html}
    body["delivery"] = {"type": "binary"}
    return body


def print_options(body: dict[str, Any]) -> dict[str, Any]:
    """Return the same for `Page.printToPDF`."""
    pdf = body["output"]["pdf"]
    return {
        **_A4,
        **{f"margin{side}": _MARGIN_IN for side in ("Top", "Right", "Bottom", "Left")},
        "printBackground": True,
        "preferCSSPageSize": True,
        "displayHeaderFooter": True,
        "headerTemplate": pdf["header"]["html"],
        "footerTemplate": pdf["footer"]["html"],
        "generateTaggedPDF": True,
        "transferMode": "ReturnAsBase64",
    }
