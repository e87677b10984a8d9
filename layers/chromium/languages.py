"""Languages that are hyphenated: dictionary, patterns, license and copyright of each.

Left out are patterns without a known license (Basque, Bulgarian, Macedonian, Romanian), those of
the GPL and LGPL (Armenian, Czech, Indonesian, Latvian), and languages without fonts or hyphens.
"""

from typing import Final, NamedTuple

_THOTTINGAL: Final = "2016 Santhosh Thottingal"
_TRENNMUSTER: Final = (
    "2013-2024 Stephan Hennig, Werner Lemberg, Günter Milde, Sander van Geloven, Georg Pfeiffer, "
    "Gisbert W. Selke, Tobias Wendorf, Keno Wehr"
)


_MUHAMEDAGIC: Final = "1990, 2008 Dejan Muhamedagić"
_NORWEGIAN: Final = "2004, 2005 Rune Kleveland, Ole Michael Selberg, 2007 Karl Ove Hufthammer"
_PORTUGUESE: Final = (
    "1987, 1994, 1996, 2015 Pedro J. de Rezende, 1996, 2015 J. Joao Dias Almeida, "
    "2024 Leonardo Araujo, Aline Benevides"
)


class Language(NamedTuple):
    """Dictionary as Chromium names it, and the names of its patterns, which are those of TeX.

    The license is a name of SPDX, or in its own words. Of several the freest one is named. Two
    scripts of a language have patterns each, and share a dictionary.
    """

    dictionary: str
    patterns: str
    license: str
    copyright: str


LANGUAGES: Final = tuple(
    Language(*row)
    for row in (
        ("af", "af", "MIT", "2013 Tilla Fick, Chris Swanepoel"),
        ("as", "as", "MIT", _THOTTINGAL),
        ("be", "be", "MIT", "2016 Maksim Salau"),
        ("bn", "bn", "MIT", _THOTTINGAL),
        ("bs", "sh-cyrl sh-latn", "LPPL-1.0", _MUHAMEDAGIC),
        ("ca", "ca", "LPPL-1.0", "1991-1995, 2003 Gonçal Badenes"),
        ("cy", "cy", "MIT", "1996 Yannis Haralambous"),
        ("da", "da", "MIT", "1994 Frank Jensen"),
        ("de-1901", "de-1901", "MIT", _TRENNMUSTER),
        ("de-1996", "de-1996", "MIT", _TRENNMUSTER),
        ("de-ch-1901", "de-ch-1901", "MIT", _TRENNMUSTER),
        ("el", "el-monoton", "MIT", "2008-2011 Dimitrios Filippou"),
        ("en-gb", "en-gb", "MIT", "1992, 1996, 2005, 2016 Dominik Wujastyk, Graham Toal"),
        ("en-us", "en-us", "FSFAP", "1990, 2004, 2005 Gerard D.C. Kuiken"),
        ("es", "es", "MIT", "1993, 1997, 2001-2019 Javier Bezos, CervanTeX"),
        ("et", "et", "MIT", "2004-2015 Enn Saar"),
        ("fi", "fi", "Patterns may be freely distributed", "1986, 1988, 1989 Kauko Saarinen"),
        ("fr", "fr", "MIT", "1994-2002 Daniel Flipo, Bernard Gaulle, 2016 Arthur Reutenauer"),
        ("fur", "fur", "MIT", "2012 Claudio Beccari"),
        ("ga", "ga", "MIT", "2004-2015 Kevin P. Scannell"),
        ("gl", "gl", "Unlicense", "2006, 2007, 2008, 2010 Javier A. Múgica"),
        ("gu", "gu", "MIT", _THOTTINGAL),
        ("hi", "hi", "MIT", _THOTTINGAL),
        ("hr", "hr", "LPPL-1.0", "1994, 1996, 2011, 2015 Igor Marinović"),
        ("hsb", "hsb", "LPPL-1.3c", "1997 Eduard Werner"),
        ("hu", "hu", "MPL-1.1", "2003 Bence Nagy"),
        ("ia", "ia", "LPPL-1.3c", "1989-2005 Peter Kleiweg"),
        ("is", "is", "LPPL-1.2", "1988, 2004 Jörgen Pind"),
        ("it", "it", "MIT", "2008-2011 Claudio Beccari"),
        ("ka", "ka", "MIT", "2013 Levan Shoshiashvili"),
        ("kmr", "kmr", "LPPL-1.3c", "2009 Jörg Knappen, Medeni Shemdê"),
        ("kn", "kn", "MIT", _THOTTINGAL),
        ("la", "la", "MIT", "1999-2016 Claudio Beccari"),
        ("lt", "lt", "MIT", "1992 Sigitas Tolušis, Yannis Haralambous"),
        ("ml", "ml", "MIT", _THOTTINGAL),
        ("mn-cyrl", "mn-cyrl", "MIT", "2007-2015 Dorjgotov Batmunkh"),
        ("mr", "mr", "MIT", _THOTTINGAL),
        ("nb", "nb", "FSFAP", _NORWEGIAN),
        ("nl", "nl", "MIT", "1996 Piet Tutelaers"),
        ("nn", "nn", "FSFAP", _NORWEGIAN),
        ("oc", "oc", "MIT", "2016 Claudio Beccari"),
        ("or", "or", "MIT", _THOTTINGAL),
        ("pa", "pa", "MIT", _THOTTINGAL),
        ("pl", "pl", "MIT", "1987-1995 Hanna Kołodziejska, Bogusław Jackowski, Marek Ryćko"),
        ("pms", "pms", "MIT", "2013 Claudio Beccari"),
        ("pt", "pt", "BSD-3-Clause", _PORTUGUESE),
        ("rm", "rm", "MIT", "2012 Claudio Beccari, 2024 far.ch"),
        ("ru", "ru", "LPPL-1.2", "1999-2003 Alexander I. Lebedev"),
        ("sh", "sh-cyrl sh-latn", "LPPL-1.0", _MUHAMEDAGIC),
        ("sk", "sk", "MIT", "1992 Jana Chlebíková"),
        ("sl", "sl", "MIT", "1990 Matjaž Vrečko"),
        ("sq", "sq", "MIT", "2020 Claudio Beccari, Sabina Koliqi, 2025 Arthur Rosendahl"),
        ("sr", "sh-cyrl sh-latn", "LPPL-1.0", _MUHAMEDAGIC),
        ("sv", "sv", "LPPL-1.2", "1994 Jan Michael Rynning"),
        ("ta", "ta", "MIT", _THOTTINGAL),
        ("te", "te", "MIT", _THOTTINGAL),
        ("tk", "tk", "MIT", "2010-2015 Nazar Annagurban"),
        ("tr", "tr", "LPPL-1.0", "1987 Pierre A. MacKay, 2008, 2011 TUG"),
        ("uk", "uk", "MIT", "1998-2001 Maksym Polyakov"),
        ("und-ethi", "mul-ethi", "MIT", "2011, 2016 Arthur Reutenauer"),
    )
)
