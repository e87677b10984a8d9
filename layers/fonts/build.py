"""Build of the fonts layer: the pinned fonts, and a fontconfig file that is relocatable."""

import json
import sys
from pathlib import Path, PurePosixPath
from typing import Final

from layers.npm import Package, build_from_packages, main, tarball_files

_FONTS: Final[tuple[tuple[str, str, str], ...]] = (
    (
        "arimo",
        "0.4.3",
        "sha512-kXMUJ303nJgKjJFr8yuiAY9dgIoAoj9HccKkaSw0J63/T4MSdxFejzfDUVLzUz+ohpQWinifV99QOAUQLcGKDg==",
    ),
    (
        "tinos",
        "0.4.2",
        "sha512-MQkfvUO1Aw7UP3jRtWLcjda+udanoL8ecrbkjbc3ZdhSI1iW/Uil4uD8O0eOiIxU2v/FeAT2XjGNiz5oYUlucg==",
    ),
    (
        "cousine",
        "0.4.3",
        "sha512-rSl8RXKqxwz8xJvedqdiKtPghSwRAl5c+lMecDyZ1L+V+IQEx6mavMnYkO0KuKgNcHekJXwXZsbmv7zJWggmAw==",
    ),
    (
        "noto-sans",
        "0.4.2",
        "sha512-zYD8G2ijWLxqmquoQgghNh/x9p0yxWwArD0oxO1oXY1qx5vOd4t0Kbhnu/Cx8RTy08OgA8RtxuULZFaXwVPnPw==",
    ),
    (
        "noto-serif",
        "0.4.2",
        "sha512-1xvAYegrtpCuPPunSyhvhV9FHWEzCWjikEoUJkvHt+WWvt+h7lKr+vkXNpqwFQM4W3KjXOccfLd5s04xLMjjDQ==",
    ),
    (
        "noto-sans-arabic",
        "0.4.3",
        "sha512-YvtxyuegxPegu2g5urXJ+gQxRp8i798nQswTmEjwXOWR/fqy0Gvey6h5IoNRBrc43SxRxPezqCiR9ivpfPAXSg==",
    ),
    (
        "noto-sans-hebrew",
        "0.4.1",
        "sha512-NR3vP6GT/hSINLrk4JHJBQnuzh/C1mlMrphNlI2dQaO53a3oTjSRoG4JyYb1B6bHadjsGh0wPZbT4kMJBKjT/w==",
    ),
    (
        "noto-sans-thai",
        "0.4.2",
        "sha512-PGBBBDGfJJ/5y2hNweLBZWD4YmVT4uOO4chsOPXyl0TktaBJamDKVKv/WbGiDTeBGdkegLiytsWo+lhnkHP5qA==",
    ),
    (
        "noto-sans-devanagari",
        "0.4.1",
        "sha512-26boYPNKGP1r4R5MxsMAY/zCQOwiXLOJzX8sh1a2oEWyQurQsyniaCv4992c+9jjwshEEt2NNVv5GcnyzaL7QQ==",
    ),
    (
        "noto-sans-jp",
        "0.4.3",
        "sha512-Fl+Z6vtD24HFAYsvzB0S9Nery1ly16B9PesdY0wBd+wEHAvkNglnkTUspU0HqGOubkmoa8zusJrKv6vDx1o70A==",
    ),
    (
        "noto-sans-sc",
        "0.4.3",
        "sha512-9rAwdFTFHbO/u6Cs0gj2jZbW74TGIiaFNQnXYH2s5wA1bzVkwbaviL4t8YUV642eGYjg86eH6DkAEQmfNHDncQ==",
    ),
    (
        "noto-sans-kr",
        "0.4.3",
        "sha512-EVS/uJPcf1TgJtjmQmrFr0oGdcl7ml09CSu0E/AyGzR0UfzdR2pBbzWWPsnuzZiGUl643ODYwYiXK5+B+fLjhQ==",
    ),
    (
        "noto-sans-symbols-2",
        "0.4.1",
        "sha512-jFymG5s4OLlXpy9E9FQvSXpSnf43BIYcJiPXEHSw6LFNvbahkjmUWb/cj4vsX/KdUksGLTPbjB9iRuu8L3yJ8A==",
    ),
    (
        "noto-sans-math",
        "0.4.2",
        "sha512-Kgj0kKibznTLYcbpR8Tk2ybr76uMOyrlyoP5F9G+0UiJzAMA4zG/XIlrgXKzfFGERhA0Rc3vbwDeeTxwXPlaYg==",
    ),
    (
        "noto-color-emoji",
        "0.4.6",
        "sha512-2pAakFka8eSDCHB5d6NNp/7WrOZAiVYcycOqAbccPd8P8zaWUVfQ0N3y84nNPmhCQT9qzM9bpDi6cgMu6fRKEg==",
    ),
)
_SCOPE: Final = "@expo-google-fonts/"
_STYLES: Final = ("400Regular", "400Regular_Italic", "700Bold", "700Bold_Italic")
# 5.5 MB for each weight, so only one is shipped; Chromium synthesises the bold.
_REGULAR_ONLY_FONTS: Final = frozenset({"noto-sans-jp", "noto-sans-sc", "noto-sans-kr"})
_FALLBACK_FAMILIES: Final = (
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Thai",
    "Noto Sans Devanagari",
    "Noto Sans Symbols 2",
    "Noto Sans Math",
    "Noto Sans JP",
    "Noto Sans SC",
    "Noto Sans KR",
    "Noto Color Emoji",
)
_ALIASES: Final = {
    "Arial": ("Arimo",),
    "Helvetica": ("Arimo",),
    "Helvetica Neue": ("Arimo",),
    "Liberation Sans": ("Arimo",),
    "Times": ("Tinos",),
    "Times New Roman": ("Tinos",),
    "Liberation Serif": ("Tinos",),
    "Courier": ("Cousine",),
    "Courier New": ("Cousine",),
    "Liberation Mono": ("Cousine",),
    "sans-serif": ("Arimo", *_FALLBACK_FAMILIES),
    "system-ui": ("Noto Sans", *_FALLBACK_FAMILIES),
    "serif": ("Tinos", "Noto Serif", *_FALLBACK_FAMILIES),
    "monospace": ("Cousine", *_FALLBACK_FAMILIES),
    "emoji": ("Noto Color Emoji",),
}
# The font cache is found by the path that `as-path` gives, wherever the folder is. There is no
# document type: fontconfig does not need it, and it would name a file that may be absent.
_FONTCONFIG: Final = """\
<?xml version="1.0"?>
<fontconfig>
  <remap-dir prefix="relative" as-path="/platen/fonts">ttf</remap-dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <config><rescan><int>0</int></rescan></config>
{aliases}{fallback}</fontconfig>
"""
# Fallback families for glyphs that a text's own families lack, in this order. In fontconfig's own
# order Arabic would be drawn with mathematical letters, which do not join.
_FALLBACK_RULE: Final = """\
  <match target="pattern">
    <edit name="family" mode="append_last" binding="weak">{families}</edit>
  </match>
"""
_ALIAS_ELEMENT: Final = """\
  <alias binding="same">
    <family>{name}</family>
    <prefer>{families}</prefer>
  </alias>
"""


def build(target: Path) -> None:
    """Create `ttf`, `licenses`, `fonts.conf` and `families.json` in `target`; idempotent."""
    packages = [Package(_SCOPE + name, version, pin) for name, version, pin in _FONTS]
    recipe = f"2 {_STYLES} {sorted(_REGULAR_ONLY_FONTS)} {_fonts_conf()}"
    build_from_packages(target, packages, recipe=recipe, unpack=_unpack, finish=_write_conf)


def _unpack(package: Package, tarball: Path, folder: Path) -> None:
    family = package.name.removeprefix(_SCOPE)
    styles = _STYLES[:1] if family in _REGULAR_ONLY_FONTS else _STYLES
    fonts, licenses = folder / "ttf", folder / "licenses"
    fonts.mkdir(exist_ok=True)
    licenses.mkdir(exist_ok=True)
    for name, content in tarball_files(tarball):
        path = PurePosixPath(name)
        if path.suffix == ".ttf" and path.parts[0] in styles:
            (fonts / path.name).write_bytes(content)
        elif name == "LICENSE_FONT":
            (licenses / f"{family}.txt").write_bytes(content)


def _write_conf(folder: Path) -> None:
    (folder / "fonts.conf").write_text(_fonts_conf(), encoding="utf-8")
    (folder / "families.json").write_text(json.dumps(_families(), indent=1), encoding="utf-8")


def _families() -> dict[str, str]:
    """Return the family that draws each name, by the name in lower case."""
    bundled = [name for names in _ALIASES.values() for name in names]
    families = {name.lower(): name for name in bundled} | {
        name.lower(): names[0] for name, names in _ALIASES.items()
    }
    # The emoji family has no letters, so it draws no text.
    del families["emoji"]
    return families


def _fonts_conf() -> str:
    aliases = "".join(
        _ALIAS_ELEMENT.format(
            name=name,
            families="".join(f"<family>{family}</family>" for family in families),
        )
        for name, families in _ALIASES.items()
    )
    families = "".join(f"<string>{family}</string>" for family in _FALLBACK_FAMILIES)
    return _FONTCONFIG.format(aliases=aliases, fallback=_FALLBACK_RULE.format(families=families))


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
