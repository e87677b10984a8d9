"""Difference of two pictures of a page: the share of changed pixels, and a picture of them."""

from typing import Final, NamedTuple

from PIL import Image, ImageChops

# Of 255: what no eye sees is no change.
_INVISIBLE: Final = 8
# How much the unchanged page fades behind the changes.
_FADED: Final = 0.7
_DIGITS: Final = 6
# Of 255: a darker pixel is a part of a drawing, and not of the paper.
_DRAWN: Final = 200
# Told apart also by people who do not tell red from green.
REMOVED: Final = (211, 33, 62)
ADDED: Final = (11, 94, 199)
RECOLOURED: Final = (122, 62, 177)

type _Size = tuple[int, int]


class PictureDifference(NamedTuple):
    """Share of the pixels that differ, 0 to 1, and the picture that shows which."""

    changed: float
    picture: Image.Image


def difference(first: Image.Image, second: Image.Image) -> PictureDifference:
    """Return the difference of two pictures; what only one of them covers counts as changed.

    The page is faded in it. What the first picture had is red, what the second one has is blue,
    and what both have in other colours is violet.
    """
    size = max(first.width, second.width), max(first.height, second.height)
    covered_first, covered_second = _cover(first.size, size), _cover(second.size, size)
    only_one = ImageChops.difference(covered_first, covered_second)
    first, second = _on_white(first, size), _on_white(second, size)
    mask = ImageChops.lighter(_visible(ImageChops.difference(first, second)), only_one)
    total = _count(ImageChops.lighter(covered_first, covered_second))
    grey_first, grey_second = first.convert("L"), second.convert("L")
    # Of the first: what was darker, or lies where the second one has no page.
    darker_before = _positive(ImageChops.subtract(grey_second, grey_first))
    removed = ImageChops.lighter(darker_before, ImageChops.subtract(covered_first, covered_second))
    in_both = ImageChops.darker(_drawing(grey_first), _drawing(grey_second))
    drawn = _faded_page(ImageChops.darker(grey_first, grey_second))
    drawn.paste(ADDED, mask=mask)
    drawn.paste(REMOVED, mask=ImageChops.darker(mask, removed))
    drawn.paste(RECOLOURED, mask=ImageChops.darker(mask, in_both))
    return PictureDifference(_share(_count(mask), total), drawn)


def _cover(size: _Size, whole: _Size) -> Image.Image:
    """Return a mask of the part of a picture of the size `whole` that one of `size` covers."""
    cover = Image.new("L", whole, 0)
    cover.paste(255, (0, 0, *size))
    return cover


def _on_white(picture: Image.Image, size: _Size) -> Image.Image:
    if picture.size == size:
        return picture
    whole = Image.new("RGB", size, "white")
    whole.paste(picture)
    return whole


def _visible(differences: Image.Image) -> Image.Image:
    """Return a mask of the pixels with a channel whose difference can be seen."""
    red, green, blue = differences.split()
    largest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return largest.point([0] * (_INVISIBLE + 1) + [255] * (255 - _INVISIBLE))


def _positive(values: Image.Image) -> Image.Image:
    return values.point([0] + [255] * 255)


def _count(mask: Image.Image) -> int:
    return int(mask.histogram()[255])


def _share(changed: int, total: int) -> float:
    """Return the share, which is 0 only if nothing has changed."""
    return max(round(changed / total, _DIGITS), 10**-_DIGITS) if changed else 0.0


def _drawing(grey: Image.Image) -> Image.Image:
    """Return a mask of what is drawn on the paper."""
    return grey.point([255] * _DRAWN + [0] * (256 - _DRAWN))


def _faded_page(grey: Image.Image) -> Image.Image:
    page = grey.convert("RGB")
    return Image.blend(page, Image.new("RGB", page.size, "white"), _FADED)
