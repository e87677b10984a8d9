"""Parsers of CSS colours and lengths, and the page sizes in inches."""

import re
from typing import Final

# Window of a page that asks for none, in CSS pixels.
DEFAULT_VIEWPORT: Final = (1280, 720)
# Named colours of CSS Color Module Level 4, 6.1.
_COLOR_NAMES: Final = frozenset(
    """aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue
    blueviolet brown burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson
    cyan darkblue darkcyan darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta
    darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray
    darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick
    floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey
    honeydew hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon
    lightblue lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink
    lightsalmon lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue lightyellow
    lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid mediumpurple
    mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue
    mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid
    palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum
    powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen
    seashell sienna silver skyblue slateblue slategray slategrey snow springgreen steelblue tan teal
    thistle tomato turquoise violet wheat white whitesmoke yellow yellowgreen""".split()  # noqa: SIM905 -- read as CSS lists them
)
# Compiled at their first use: cold starts need no colours (decision 7).
_HEX_COLOR: Final = r"#(?:[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})"
_NUMBER: Final = r"[0-9]{1,3}(?:\.[0-9]{1,4})?"
_OPACITY: Final = rf"(?: *[,/] *{_NUMBER}%?)?"
_COLOR_FUNCTION: Final = (
    rf"rgba?\( *{_NUMBER}%?(?: *, *| +){_NUMBER}%?(?: *, *| +){_NUMBER}%?{_OPACITY} *\)"
    rf"|hsla?\( *{_NUMBER}(?:deg)?(?: *, *| +){_NUMBER}%(?: *, *| +){_NUMBER}%{_OPACITY} *\)"
)
# CSS Values and Units Level 4, 6.2: an inch is 96px.
_INCHES_PER_UNIT: Final = {
    "mm": 1 / 25.4,
    "cm": 1 / 2.54,
    "in": 1.0,
    "px": 1 / 96,
    "pt": 1 / 72,
    "pc": 1 / 6,
}
# Portrait: width and height in millimetres (ISO 216), below in inches (ANSI).
_ISO_SIZES: Final = {
    "A0": (841, 1189),
    "A1": (594, 841),
    "A2": (420, 594),
    "A3": (297, 420),
    "A4": (210, 297),
    "A5": (148, 210),
    "A6": (105, 148),
}
PAGE_SIZES: Final = {
    **{name: (width / 25.4, height / 25.4) for name, (width, height) in _ISO_SIZES.items()},
    "Letter": (8.5, 11.0),
    "Legal": (8.5, 14.0),
    "Tabloid": (11.0, 17.0),
    "Ledger": (17.0, 11.0),
}
# Names of CSS Paged Media 3, 7.1, that no option has.
_CSS_PAGE_SIZES: Final = {
    "b5": (176 / 25.4, 250 / 25.4),
    "b4": (250 / 25.4, 353 / 25.4),
    "jis-b5": (182 / 25.4, 257 / 25.4),
    "jis-b4": (257 / 25.4, 364 / 25.4),
    **{name.lower(): size for name, size in PAGE_SIZES.items()},
    "ledger": (11.0, 17.0),
}
_LENGTH: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*(mm|cm|in|px|pt|pc)")


def is_color(text: str) -> bool:
    """Tell whether a text is a CSS colour: a name, `#` and hexadecimal digits, `rgb()` or `hsl()`.

    Nothing may follow the colour, because the text is put into style sheets.
    """
    is_name = text.isascii() and text.lower() in _COLOR_NAMES
    return is_name or any(re.fullmatch(form, text) for form in (_HEX_COLOR, _COLOR_FUNCTION))


def length_in_inches(length: str) -> float:
    """Return a length such as `10mm` or `0` in inches; raise ValueError for anything else."""
    text = length.strip()
    if re.fullmatch(r"0+(\.0*)?", text):
        return 0.0
    match = _LENGTH.fullmatch(text)
    if match is None:
        message = f"not a length: {length!r}"
        raise ValueError(message)
    return float(match[1]) * _INCHES_PER_UNIT[match[2]]


def css_page_size(size: str, paper: tuple[float, float]) -> tuple[float, float] | None:
    """Return width and height in inches of the CSS property `size`, on the given paper.

    None for `auto`, and for a value that is no size.
    """
    words = size.lower().split()
    orientation = {"portrait", "landscape"}.intersection(words)
    words = [word for word in words if word not in orientation]
    try:
        sides = [length_in_inches(word) for word in words if word not in _CSS_PAGE_SIZES]
    except ValueError:
        return None
    if sides:
        return sides[0], sides[-1]
    if not words and not orientation:
        return None
    short, long = sorted(_CSS_PAGE_SIZES[words[0]] if words else paper)
    return (long, short) if "landscape" in orientation else (short, long)
