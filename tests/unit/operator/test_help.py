"""Help of `platen`: it starts without what commands need, and every command explains itself."""

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from chalicelib.core.version import VERSION
from infra.operator.cli import main
from infra.operator.lazy_group import LazyGroup

# Shows the help of the root and of each group, then tells which modules that has loaded.
HELP_OF_GROUPS = """
import sys
from click.testing import CliRunner
from infra.operator.cli import main
import click

shown = [CliRunner().invoke(main, arguments) for arguments in (["--help"], ["--version"])]
context = click.Context(main)
for name in main.list_commands(context):
    if isinstance(main.get_command(context, name), click.Group):
        shown.append(CliRunner().invoke(main, [name, "--help"]))
assert all(each.exit_code == 0 for each in shown), shown
print(" ".join(sys.modules))
"""


def commands(
    group: click.Group = main, *path: str
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command below a group with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        else:
            yield (*path, name), command


def test_help_loads_nothing_that_a_command_needs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HELP_OF_GROUPS], capture_output=True, text=True, check=True
    )

    heavy = {"boto3", "botocore", "pydantic", "chalice", "httpx", "jinja2", "lxml", "pikepdf"}
    assert heavy & set(done.stdout.split()) == set()


def test_the_root_loads_no_command() -> None:
    code = "import sys, infra.operator.cli; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert [name for name in done.stdout.split() if name.startswith("chalicelib")] == []


def test_the_version_is_that_of_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from infra.operator.cli import main; main()", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == f"platen, version {VERSION}\n"


def test_help_names_the_webhook_commands_once() -> None:
    names = [" ".join(words) for words, _ in commands()]

    assert len(names) == len(set(names))
    assert "webhook forward" in names
    help_text = main.get_help(click.Context(main))
    assert "webhook " in help_text
    assert "webhooks " not in help_text


@pytest.mark.parametrize("words", [words for words, _ in commands()], ids=" ".join)
def test_every_command_has_an_example_that_it_understands(words: tuple[str, ...]) -> None:
    command = dict(commands())[words]
    example = command.epilog or ""

    assert example.startswith(f"Example: platen {' '.join(words)}".replace("webhooks", "webhook"))
    assert len(example) <= 76
    given = example.removeprefix("Example: platen ").split()[len(words) :]
    # Files of the example are not there, which click would refuse.
    parser = command.make_parser(click.Context(command))
    options, arguments, _ = parser.parse_args(given)
    needed = [each for each in command.params if each.required]
    assert [each.name for each in needed if options.get(str(each.name)) is None] == []
    assert isinstance(arguments, list)


def test_every_command_answers_programs() -> None:
    without = [words for words, command in commands() if not _has_option(command, "--json")]

    assert without == []


def _has_option(command: click.Command, name: str) -> bool:
    return any(name in parameter.opts for parameter in command.params)


def test_the_lines_of_lazy_groups_are_whole_sentences() -> None:
    groups: list[click.Group] = [main, *_groups(main)]
    lazy = [group for group in groups if isinstance(group, LazyGroup)]

    assert len(lazy) >= 2
    for group in lazy:
        assert [text for _, text in group.places.values() if text and not text.endswith(".")] == []


def _groups(group: click.Group) -> Iterator[click.Group]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield command
