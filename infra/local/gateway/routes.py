"""Prints the paths of the API as JSON; a process of its own, so that the stack never imports it."""

import importlib
import json

if __name__ == "__main__":
    app = importlib.import_module("app").app
    print(json.dumps(sorted(app.routes)))  # noqa: T201 -- the answer of this program
