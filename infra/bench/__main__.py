"""`make bench NAME=x`: command line of the benchmarks."""

import sys
from importlib import import_module
from typing import Final

# Modules by benchmark name; a module cannot be named `import`.
MODULES: Final = {
    "batch": "batches.rate",
    "burst": "starts.burst",
    "calls": "aws_calls",
    "cold": "cold_start",
    "combine": "batches.combine",
    "conformance": "conformance",
    "curve": "page_count_curve",
    "due": "state.due",
    "einvoice": "einvoice",
    "email": "emails.delivery",
    "email-cost": "emails.cost",
    "email-rate": "emails.rate",
    "finishing": "finishing",
    "fonts": "starts.fonts",
    "footprint": "footprint",
    "formats": "formats",
    "import": "starts.import_time",
    "isolation": "browser_recovery",
    "latency": "latency",
    "limits": "state.limits",
    "merge": "pdf_tools.merge",
    "link": "links.cached_file",
    "load": "load",
    "proxy": "proxy",
    "relay": "state.relay",
    "release": "batches.release",
    "start": "starts.first_answer",
    "table": "long_table",
    "template-call": "template_call",
    "templates": "templates",
    "tools": "pdf_tools.tools",
    "upload": "storage.upload",
    "webhook-lag": "webhooks.lag",
    "webhooks": "webhooks.rate",
}


def main() -> int:
    """Run one benchmark and return its exit status; 2 for an unknown name."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in MODULES:
        sys.stderr.write(f"usage: make bench NAME={'|'.join(MODULES)}\n")
        return 2
    status: int = import_module(f"infra.bench.{MODULES[name]}").main()
    return status


if __name__ == "__main__":
    sys.exit(main())
