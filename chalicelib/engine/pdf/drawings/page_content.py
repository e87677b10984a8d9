"""Content of pages made by others: its open states are closed before something is drawn."""

from itertools import accumulate

import pikepdf


def close_content(document: pikepdf.Pdf, page: pikepdf.Page) -> None:
    """Add the operators q and Q that the content of a page lacks, so that no state leaks out.

    Content without a missing operator, or that cannot be parsed, stays as it is.
    """
    try:
        instructions = pikepdf.parse_content_stream(page, "q Q")
    except pikepdf.PdfError:
        return
    steps = [1 if str(each.operator) == "q" else -1 for each in instructions]
    depths = list(accumulate(steps, initial=0))
    missing_saves = -min(depths)
    missing_restores = depths[-1] + missing_saves
    if missing_saves:
        page.contents_add(document.make_stream(b"q\n" * missing_saves), prepend=True)
    if missing_restores:
        page.contents_add(document.make_stream(b"\nQ" * missing_restores + b"\n"))


def without_tags(form: pikepdf.Object) -> None:
    """Remove the marked content of a form XObject, except its layers of optional content.

    Tags of another document mean nothing here, and an artifact must not contain tagged content.
    """
    kept: list[pikepdf.ContentStreamInstruction | pikepdf.ContentStreamInlineImage] = []
    is_layer: list[bool] = []
    for each in pikepdf.parse_content_stream(form):
        operator = str(each.operator)
        if operator in {"BMC", "BDC"}:
            is_layer.append(len(each.operands) > 1 and each.operands[0] == "/OC")
            if not is_layer[-1]:
                continue
        if operator == "EMC" and not (is_layer and is_layer.pop()):
            continue
        kept.append(each)
    form.write(pikepdf.unparse_content_stream(kept))
