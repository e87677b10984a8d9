"""The memory of the template process, as the kernel tells it to everybody."""

import re
from pathlib import Path

import psutil


def of_template_child() -> str:
    """Return what the one living template process of this process has resident, and had at most."""
    (child,) = (
        process
        for process in psutil.Process().children()
        if any("templating.child" in word for word in process.cmdline())
    )
    status = Path(f"/proc/{child.pid}/status").read_text(encoding="ascii")
    now_mb, most_mb = (
        int(re.findall(rf"{field}:\s+(\d+) kB", status)[0]) * 1024 / 1e6
        for field in ("VmRSS", "VmHWM")
    )
    return f"memory of the child: {now_mb:.0f} MB resident, {most_mb:.0f} MB at most\n"
