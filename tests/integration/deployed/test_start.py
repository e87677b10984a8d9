"""Start failures of functions: the message names what is missing."""

import sys
from pathlib import Path
from typing import Any

import pytest

from chalicelib.bootstrap.work import all_settings
from infra.template import ROOT, load_template
from tests.builders.stack.deployment import Deployment, without_folder
from tests.builders.stack.localstack import zip_archive

pytestmark = pytest.mark.integration

FUNCTIONS = [
    name
    for name, resource in load_template()["Resources"].items()
    if resource.get("Type") == "AWS::Serverless::Function"
]
# One function for each code archive, with a package of that archive.
KINDS = {
    "APIHandler": "pydantic",
    "EngineFunction": "pikepdf",
    "PdfToolsFunction": "pypdfium2",
    "RelayFunction": "boto3",
}
REQUIRED = {setting.variable for setting in all_settings() if setting.default is None}
PROBE = """
import importlib, os, sys

def probe(event, context):
    for name in os.environ["PROBED"].split():
        importlib.import_module(name)
    return {name: m.__file__ for name, m in sys.modules.items() if getattr(m, "__file__", None)}
"""


@pytest.mark.parametrize("function", FUNCTIONS)
def test_missing_variable_is_named_in_the_error(deployment: Deployment, function: str) -> None:
    variables = deployment.configuration(function)["Environment"]["Variables"]
    absent = max(REQUIRED & variables.keys())
    del variables[absent]

    with deployment.reconfigured_function(
        function, Environment={"Variables": variables}
    ) as altered:
        error = start_failure(deployment, altered)

    assert f"{absent} is not set" in error


@pytest.mark.parametrize(
    ("function", "layer"),
    [("EngineFunction", "chromium"), ("EngineFunction", "fonts"), ("PdfToolsFunction", "fonts")],
)
def test_missing_layer_is_named_in_the_error(
    deployment: Deployment, function: str, layer: str
) -> None:
    layers = deployment.configuration(function)["Layers"]
    others = [arn for arn in layers if f"-{layer}:" not in arn]
    assert len(others) == len(layers) - 1

    with deployment.reconfigured_function(function, Layers=others) as altered:
        error = start_failure(deployment, altered)

    assert f"/opt/{layer}" in error
    assert "layer" in error


def test_missing_package_is_not_imported_from_the_checkout(deployment: Deployment) -> None:
    code = without_folder(deployment.function_archive("APIHandler"), "pydantic")
    settings = deployment.configuration("APIHandler")

    lacking = deployment.cloud.create_function("without-pydantic", code, **settings)

    assert "No module named 'pydantic'" in start_failure(deployment, lacking)


@pytest.mark.parametrize(("function", "package"), KINDS.items())
def test_every_module_is_imported_from_the_package(
    deployment: Deployment, function: str, package: str
) -> None:
    cloud, settings = deployment.cloud, deployment.configuration(function)
    module = settings["Handler"].rpartition(".")[0]
    probed = {"PROBED": f"{module} {package}", **settings["Environment"]["Variables"]}
    layer = cloud.publish_layer("probe", zip_archive({"python/probe.py": PROBE}))

    with deployment.reconfigured_function(
        function,
        Handler="probe.probe",
        Layers=[*settings["Layers"], layer],
        Environment={"Variables": probed},
    ) as altered:
        loaded, failed = cloud.invoke(altered)

    assert failed is None, loaded
    assert loaded.keys() >= {"chalicelib", module, package}
    standard = Path(sys.base_prefix, "lib", "python3.13")
    for name, file in loaded.items():
        assert not file.startswith(str(ROOT)), name
        assert "site-packages" not in file, name
        assert file.startswith((str(cloud.folder), str(standard))), name
        if name.partition(".")[0] in {"chalicelib", package}:
            assert f"/code/{name.partition('.')[0]}" in file, name


def start_failure(deployment: Deployment, function: str) -> str:
    """Return why a function does not start."""
    answer: Any
    answer, failed = deployment.cloud.invoke(function, {})
    assert failed == "Unhandled", answer
    assert answer["errorType"] == "Runtime.ImportModuleError", answer
    return str(answer["errorMessage"])
