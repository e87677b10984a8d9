"""The page on an own server names what there is: options, variables and files."""

import re
from typing import Final

import click

from chalicelib.settings.table import SETTINGS
from infra.local.functions import ENGINES_VARIABLE
from infra.operator.serve import serve
from infra.template import ROOT

PAGE: Final = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")


def test_its_table_has_every_option_of_the_command() -> None:
    table = PAGE[PAGE.index("| Option | Variable") :].partition("\n\n")[0]
    options = {
        name
        for parameter in serve.params
        if isinstance(parameter, click.Option)
        for name in parameter.opts
    }
    assert set(re.findall(r"`(--[a-z-]+)`", table)) == options


def test_its_variables_are_known() -> None:
    read = {str(parameter.envvar) for parameter in serve.params if parameter.envvar is not None}
    read |= {setting.variable for setting in SETTINGS.values()} | {ENGINES_VARIABLE}
    assert set(re.findall(r"PLATEN_[A-Z_]+", PAGE)) - read == set()


def test_its_files_exist() -> None:
    named = {*re.findall(r"infra/serve/[\w.]+", PAGE)}
    assert [name for name in named if not (ROOT / name.rstrip(".")).exists()] == []
