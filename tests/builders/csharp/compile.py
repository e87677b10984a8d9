"""Compiler of C#: `compile.py CSHARP_DIR SOURCE PROGRAM.dll`, in a process of its own.

The runtime of .NET is in this process then, so its libraries have to be in the search path.
"""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

from infra.setup.csharp import ASSEMBLIES, COMPILER, RUNTIME


def main(folder: Path, source: Path, program: Path) -> int:
    """Compile a program of one file, and write how it starts; return the exit status."""
    settings = program.with_suffix(".runtimeconfig.json")
    framework = {"name": "Microsoft.NETCore.App", "version": "3.1.0"}
    options = {"framework": framework, "configProperties": {"System.Globalization.Invariant": True}}
    settings.write_text(json.dumps({"runtimeOptions": options}), encoding="utf-8")

    pythonnet: Any = importlib.import_module("pythonnet")
    pythonnet.load("coreclr", runtime_config=str(settings), dotnet_root=str(folder / RUNTIME))
    clr: Any = importlib.import_module("clr")
    sys.path.append(str(folder / COMPILER))
    for name in ASSEMBLIES:
        clr.AddReference(name)
    net: Any = importlib.import_module("Microsoft.CodeAnalysis")
    csharp: Any = importlib.import_module("Microsoft.CodeAnalysis.CSharp")
    lists: Any = importlib.import_module("System.Collections.Generic")
    files: Any = importlib.import_module("System.IO")

    references = lists.List[net.MetadataReference]()
    for library in sorted((folder / RUNTIME / "shared" / framework["name"]).glob("*/*.dll")):
        references.Add(net.MetadataReference.CreateFromFile(str(library)))
    trees = lists.List[net.SyntaxTree]()
    version = csharp.CSharpParseOptions.Default.WithLanguageVersion(csharp.LanguageVersion.CSharp10)
    trees.Add(csharp.CSharpSyntaxTree.ParseText(source.read_text("utf-8"), version, source.name))
    kind = csharp.CSharpCompilationOptions(net.OutputKind.ConsoleApplication)
    checked = kind.WithNullableContextOptions(net.NullableContextOptions.Enable)
    compilation = csharp.CSharpCompilation.Create(program.stem, trees, references, checked)
    stream = files.FileStream(str(program), files.FileMode.Create)
    emitted = compilation.Emit(stream)
    stream.Close()
    # As a project of `dotnet new` does, it takes a value that may be null for a warning only.
    found = [
        each for each in emitted.Diagnostics if each.Severity >= net.DiagnosticSeverity.Warning
    ]
    sys.stderr.writelines(f"{each}\n" for each in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
