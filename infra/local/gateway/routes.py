"""Program that prints the paths of the API as JSON, so that the stack need not import the API."""

import importlib
import json

if __name__ == "__main__":
    app = importlib.import_module("app").app
    print(json.dumps(sorted(app.routes)))  # noqa: T201 -- the output of this program
