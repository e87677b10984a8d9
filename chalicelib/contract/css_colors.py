"""The grammar of CSS colours: names, `#` and hexadecimal digits, `rgb()` and `hsl()`."""

import re
from typing import Final

# CSS Color Module Level 4, 6.1.
_NAMES: Final = frozenset(
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
_HEX: Final = re.compile(r"#(?:[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})")
_PART: Final = r"[0-9]{1,3}(?:\.[0-9]{1,4})?"
_OPACITY: Final = rf"(?: *[,/] *{_PART}%?)?"
_FUNCTION: Final = re.compile(
    rf"rgba?\( *{_PART}%?(?: *, *| +){_PART}%?(?: *, *| +){_PART}%?{_OPACITY} *\)"
    rf"|hsla?\( *{_PART}(?:deg)?(?: *, *| +){_PART}%(?: *, *| +){_PART}%{_OPACITY} *\)"
)


def is_color(text: str) -> bool:
    """Tell whether a text is a colour, and nothing beside it."""
    named = text.isascii() and text.lower() in _NAMES
    return named or any(form.fullmatch(text) for form in (_HEX, _FUNCTION))
