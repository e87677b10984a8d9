"""Refused packages: unknown archives, functions that are too large or do not start."""

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from rich.console import Console

from infra.package import archives
from infra.package.archives import write_archives
from infra.package.check import start_failures
from infra.package.errors import PackageError
from infra.package.sizes import LIMIT_BYTES, FunctionSize, function_sizes, size_errors, size_table

LAYER = {
    "Type": "AWS::Serverless::LayerVersion",
    "Properties": {"ContentUri": "./chromium-layer.zip"},
}


def template(archive: str) -> dict[str, Any]:
    function = {"CodeUri": f"./{archive}", "Handler": "app.run", "Layers": [{"Ref": "Layer"}]}
    return {
        "Resources": {
            "Layer": {
                "Type": "AWS::Serverless::LayerVersion",
                "Properties": {"ContentUri": "./layer.zip"},
            },
            "Function": {"Type": "AWS::Serverless::Function", "Properties": function},
            "Table": {"Type": "AWS::DynamoDB::Table", "Properties": {}},
        },
    }


def test_archive_without_a_builder_is_named(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"nothing makes code\.zip, layer\.zip; there are api"):
        write_archives(tmp_path, template("code.zip"))


def test_missing_layer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "INSTALL_DIR", tmp_path)

    with pytest.raises(PackageError, match=r"chromium holds no chromium\.br; .* make setup"):
        write_archives(tmp_path, {"Resources": {"Layer": LAYER}})


def test_a_function_counts_with_its_layers_unpacked(tmp_path: Path) -> None:
    for name, length in (("code.zip", 3_000), ("layer.zip", 7_000)):
        with ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("file", b"0" * length)

    (size,) = function_sizes(template("code.zip"), tmp_path)

    zipped = (tmp_path / "code.zip").stat().st_size
    assert size == FunctionSize("Function", zipped, 3_000, 7_000)
    assert size.total_bytes == 10_000


def test_240_mb_are_accepted_and_one_byte_more_is_refused() -> None:
    fits = FunctionSize("Fits", 1, LIMIT_BYTES - 100_000_000, 100_000_000)
    over = FunctionSize("Over", 1, LIMIT_BYTES, 1)

    assert LIMIT_BYTES == 240_000_000
    assert size_errors([fits, over]) == ["Over: 240.0 MB with its layers, more than 240 MB"]


def test_the_table_shows_each_part(capsys: pytest.CaptureFixture[str]) -> None:
    Console(width=200).print(
        size_table([FunctionSize("Render", 24_100_000, 66_800_000, 128_200_000)])
    )

    heading, row = capsys.readouterr().out.splitlines()
    assert heading.startswith("function")
    assert row.split() == ["Render", "24.1", "66.8", "128.2", "195.0", "240.0"]


def test_a_function_that_does_not_start_from_its_archive_is_named(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "code.zip", "w") as archive:
        # Installed here, but not in the archive.
        archive.writestr("app.py", "import boto3\n\ndef run(event, context): ...\n")

    (failure,) = start_failures(template("code.zip"), tmp_path)

    assert failure == (
        "Function: app.run does not start from code.zip: "
        "ModuleNotFoundError: No module named 'boto3'"
    )
