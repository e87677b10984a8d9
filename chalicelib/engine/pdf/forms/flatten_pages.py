"""Annotations drawn into their pages."""

import math
from collections.abc import Mapping
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Name

from chalicelib.engine.pdf.document.attachments import distinct_names
from chalicelib.engine.pdf.drawings.page_content import close_content
from chalicelib.engine.pdf.drawings.page_drawings import PageDrawings, add_resource
from chalicelib.engine.pdf.forms.annotation_looks import AnnotationLooks
from chalicelib.engine.pdf.forms.annotation_tags import AnnotationTags
from chalicelib.engine.pdf.forms.draw_form import shown_appearance
from chalicelib.engine.pdf.forms.field_appearances import has_appearance
from chalicelib.engine.pdf.page_boxes import (
    Matrix,
    PdfRectangle,
    bounding_box,
    multiply,
    page_turn,
    rectangle,
)
from chalicelib.engine.pdf.trees.name_trees import dictionaries
from chalicelib.engine.pdf.warn import Warn

# Flags of annotations (ISO 32000-1, 12.5.3).
_HIDDEN, _NO_ROTATE, _NO_VIEW = 1 << 1, 1 << 4, 1 << 5
_NO_CHANGE: Final = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
# Turns by -90, -180 and -270 degrees of the page.
_UPRIGHT: Final[dict[int, Matrix]] = {
    90: (0, 1, -1, 0, 0, 0),
    180: (-1, 0, 0, -1, 0, 0),
    270: (0, -1, 1, 0, 0, 0),
}


def flatten_pages(document: pikepdf.Pdf, fonts: Mapping[str, bytes], warn: Warn) -> None:
    """Draw all annotations but links, and remove them."""
    annotations = [dictionaries(page.obj.get("/Annots")) for page in document.pages]
    gone = {each.objgen for on_page in annotations for each in on_page if not _is_link(each)}
    _keep_files(document, [each for on_page in annotations for each in on_page])
    tags, drawings = AnnotationTags(document, gone), PageDrawings(document)
    looks = AnnotationLooks(document, fonts, warn)
    for page, on_page in zip(document.pages, annotations, strict=True):
        flat = [each for each in on_page if not _is_link(each)]
        drawn = [operators for each in flat for operators in _draw(page, each, tags, looks)]
        for each in flat:
            tags.remove(each)
        if drawn:
            close_content(document, page)
            drawings.draw_over(page, document.make_stream("\n".join(drawn).encode()))
        links = [each for each in on_page if _is_link(each)]
        if links:
            page.obj.Annots = Array(links)
        elif "/Annots" in page.obj:
            del page.obj.Annots
    looks.finish()


def _keep_files(document: pikepdf.Pdf, annotations: list[pikepdf.Object]) -> None:
    """Give the files of annotations a place among the document's embedded files."""
    entries = (each.get("/FS") for each in annotations if each.get("/Subtype") == "/FileAttachment")
    files = [each for each in entries if isinstance(each, Dictionary) and "/EF" in each]
    if not files:
        return
    if "/Names" not in document.Root:
        document.Root.Names = Dictionary()
    if "/EmbeddedFiles" not in document.Root.Names:
        document.Root.Names.EmbeddedFiles = pikepdf.NameTree.new(document).obj
    tree = pikepdf.NameTree(document.Root.Names.EmbeddedFiles)
    wanted = [str(file.get("/UF", file.get("/F", "file"))) for file in files]
    for name, file in zip(distinct_names(wanted, taken=map(str, tree)), files, strict=True):
        tree[name] = file


def _is_link(annotation: pikepdf.Object) -> bool:
    return annotation.get("/Subtype") == Name.Link


def _draw(
    page: pikepdf.Page, annotation: pikepdf.Object, tags: AnnotationTags, looks: AnnotationLooks
) -> list[str]:
    """Return the operators that draw an annotation; a hidden one has none."""
    flags = _integer(annotation, "/F")
    edges = annotation.get("/Rect", Array())
    if flags & (_HIDDEN | _NO_VIEW) or annotation.get("/Subtype") == "/Popup" or len(edges) != 4:  # noqa: PLR2004
        return []
    form = shown_appearance(annotation)
    if form is None:
        form = None if has_appearance(annotation) else looks.draw(annotation)
    if form is None:
        return []
    place = rectangle(float(edge) for edge in edges)
    matrix = _placement(form, place)
    if matrix is None:
        return []
    if flags & _NO_ROTATE and page_turn(page):
        matrix = multiply(matrix, _turned_about(place, page_turn(page)))
    form.Type, form.Subtype = Name.XObject, Name.Form
    name = add_resource(page.resources, "/XObject", f"/PlatenDrawn{form.objgen[0]}", form)
    numbers = " ".join(f"{number:.8f}" for number in matrix)
    operators = [f"q {numbers} cm {name} Do Q"]
    layer = annotation.get("/OC")
    if isinstance(layer, pikepdf.Dictionary) and layer.is_indirect:
        layer_name = f"/PlatenLayer{layer.objgen[0]}"
        layer_name = add_resource(page.resources, "/Properties", layer_name, layer)
        operators = [f"/OC {layer_name} BDC", *operators, "EMC"]
    return [tags.tag(page, annotation) or "/Artifact BMC", *operators, "EMC"]


def _placement(form: pikepdf.Object, place: PdfRectangle) -> Matrix | None:
    """Return the matrix from an appearance's box to the annotation's (12.5.5, algorithm 8.1)."""
    edges = form.get("/BBox")
    if not isinstance(edges, pikepdf.Array):
        form.BBox = Array([0, 0, place.width, place.height])
    own = tuple(float(number) for number in form.get("/Matrix", _NO_CHANGE))
    box = bounding_box(rectangle(float(edge) for edge in form.BBox), own)
    if not (box.width and box.height and place.width and place.height):
        return None
    across, up = place.width / box.width, place.height / box.height
    x, y = place.left - box.left * across, place.bottom - box.bottom * up
    # Numbers of hundreds of digits are infinite.
    return (across, 0, 0, up, x, y) if all(map(math.isfinite, (across, up, x, y))) else None


def _turned_about(place: PdfRectangle, turn: int) -> Matrix:
    """Return the matrix that keeps an annotation upright on a turned page: about its upper left."""
    x, y = place.left, place.bottom + place.height
    there = multiply((1, 0, 0, 1, -x, -y), _UPRIGHT[turn])
    return multiply(there, (1, 0, 0, 1, x, y))


def _integer(holder: pikepdf.Object, key: str) -> int:
    value: object = holder.get(key)
    return value if isinstance(value, int) else 0
