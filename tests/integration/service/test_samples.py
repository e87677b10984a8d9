"""Samples of the reference, run as they are in all their languages."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from infra.local.running_stack import RunningStack
from infra.setup.steps import COMMANDS_DIR, JAVA_DIR, PYTHON
from infra.template import ROOT
from layers.java import java_program
from tests.builders import csharp

pytestmark = pytest.mark.integration

SAMPLES: Final = ROOT / "chalicelib" / "api" / "pages" / "static" / "samples.js"
JAVA: Final = java_program(JAVA_DIR)
ECJ: Final = JAVA_DIR / "ecj.jar"
# Files and commands by the languages of the samples.
PROGRAMS: Final = {
    "curl": ("sample.sh", ["sh", "sample.sh"]),
    "Python": ("sample.py", [str(PYTHON), "sample.py"]),
    "TypeScript": ("sample.mjs", ["node", "sample.mjs"]),
    "PHP": ("sample.php", ["php", "sample.php"]),
    "Java": ("Main.java", ["sh", "-c", f"{JAVA} -jar {ECJ} -21 Main.java && {JAVA} Main"]),
    "Go": ("sample.go", ["go", "run", "sample.go"]),
    "C#": ("sample.cs", []),
}
# What a project of `dotnet new console` has without a word.
IMPLICIT_USINGS: Final = "".join(
    f"global using {name};\n"
    for name in (
        "System",
        "System.Collections.Generic",
        "System.IO",
        "System.Linq",
        "System.Net.Http",
        "System.Threading",
        "System.Threading.Tasks",
    )
)
RAW_LITERAL: Final = re.compile(r'"""\n(.*?)\n( *)"""', re.DOTALL)
MAKE: Final = """
import { samplesOf } from "./samples.mjs";
import { readFileSync } from "node:fs";
const { description, method, path, example } = JSON.parse(readFileSync(0, "utf-8"));
const operation = description.paths[path][method];
if (example) operation.requestBody.content["application/json"].example = example;
const samples = samplesOf({ method, path, operation }, description);
console.log(JSON.stringify(Object.fromEntries(samples.map((each) => [each.label, each.source]))));
"""
# What breaks a sample that quotes carelessly.
HOSTILE: Final = 'it\'s "quoted" \\ `ticks` ${dollar} $HOME """ %s \u20ac'


def samples(folder: Path, **request: Any) -> dict[str, str]:
    """Return the samples of an operation by language."""
    shutil.copy(SAMPLES, folder / "samples.mjs")
    (folder / "make.mjs").write_text(MAKE, encoding="utf-8")
    return dict(json.loads(run(["node", "make.mjs"], folder, json.dumps(request))))


def run(command: list[str], folder: Path, given: str = "", **variables: str) -> str:
    path = f"{COMMANDS_DIR}:{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        input=given,
        env={**os.environ, "PATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_sample_makes_what_its_example_says(
    stack: RunningStack, tmp_path: Path, language: str
) -> None:
    description = httpx.get(f"{stack.base_url}/openapi.json").json()
    body = {
        "input": {"type": "html", "html": f"<p>{HOSTILE}</p>"},
        "reference": language,
        "test": None,
    }
    request = {"description": description, "method": "post", "path": "/v1/renders"}
    source = samples(tmp_path, **request, example=body)[language]
    answer = json.loads(run_sample(language, source, tmp_path, stack))

    assert (answer["status"], answer["reference"]) == ("succeeded", language)

    binary = {**body, "delivery": {"type": "binary"}, "output": {"format": "html"}}
    source = samples(tmp_path, **request, example=binary)[language]
    run_sample(language, source, tmp_path, stack)

    assert f"<p>{HOSTILE}</p>" in (tmp_path / "document.html").read_text(encoding="utf-8")


def run_sample(language: str, source: str, folder: Path, stack: RunningStack) -> str:
    """Run a sample and return what it prints."""
    name, command = PROGRAMS[language]
    file = folder / name
    variables = {"PLATEN_API_KEY": stack.test_key}
    if language == "C#":
        file.write_text(IMPLICIT_USINGS + with_older_literals(source), encoding="utf-8")
        command = list(csharp.compiled(file, folder))
        variables |= csharp.ENVIRONMENT
    else:
        file.write_text(source, encoding="utf-8")
    return run(command, folder, **variables)


def with_older_literals(source: str) -> str:
    """Return a program in C# whose raw literals, of C# 11, are such as C# 10 has."""

    def older(found: re.Match[str]) -> str:
        lines = [line.removeprefix(found[2]) for line in found[1].split("\n")]
        return '@"' + "\n".join(lines).replace('"', '""') + '"'

    return RAW_LITERAL.sub(older, source)


def test_every_operation_has_samples_in_all_languages(stack: RunningStack, tmp_path: Path) -> None:
    description = httpx.get(f"{stack.base_url}/openapi.json").json()
    shutil.copy(SAMPLES, tmp_path / "samples.mjs")
    (tmp_path / "make.mjs").write_text(
        """
import { samplesOf } from "./samples.mjs";
import { readFileSync } from "node:fs";
const description = JSON.parse(readFileSync(0, "utf-8"));
const all = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) =>
    [path, samplesOf({ method, path, operation }, description).map((each) => each.source)]));
console.log(JSON.stringify(all));
""",
        encoding="utf-8",
    )

    made = json.loads(run(["node", "make.mjs"], tmp_path, json.dumps(description)))

    assert len(made) == sum(map(len, description["paths"].values()))
    for path, sources in made:
        assert len(sources) == 7
        for source in sources:
            assert description["servers"][0]["url"] + path.partition("{")[0] in source
            assert not any(word in source for word in ("undefined", "[object", "{id}"))
