"""The examples of proxies in front of a server, each with a port and a certificate of the tests."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from infra.local.paths import free_port, tail
from infra.local.processes import kill_process_trees
from infra.setup.steps import COMMANDS_DIR, STORES_DIR
from infra.template import ROOT
from tests.builders.pages.certificates import Certificates
from tests.builders.waiting import eventually, is_listening

_EXAMPLES: Final = ROOT / "infra" / "serve"
_HOST: Final = "platen.example.com"
# What the package of nginx has around an example; nothing is written outside the folder.
_NGINX: Final = """
daemon off; pid {folder}/nginx.pid; error_log stderr warn;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {example};
}}
"""


@contextmanager
def nginx(folder: Path, upstream: int, certificates: Certificates) -> Iterator[int]:
    """Give the port of nginx in front of a port, once it listens."""
    port, plain = free_port(), free_port()
    example = changed(
        _EXAMPLES / "nginx.conf",
        {
            "127.0.0.1:8700": f"127.0.0.1:{upstream}",
            "listen [::]:443 ssl http2;": "",
            "listen [::]:80;": "",
            "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
            "listen 80": f"listen 127.0.0.1:{plain}",
            f"server_name {_HOST}": "server_name 127.0.0.1",
            f"/etc/letsencrypt/live/{_HOST}/fullchain.pem": str(certificates.server_file),
            f"/etc/letsencrypt/live/{_HOST}/privkey.pem": str(certificates.server_file),
        },
    )
    (folder / "platen.conf").write_text(example)
    config = folder / "nginx.conf"
    config.write_text(_NGINX.format(folder=folder, example=folder / "platen.conf"))
    command = [str(COMMANDS_DIR / "nginx"), "-e", "stderr", "-p", str(folder), "-c", str(config)]
    with _running(command, ["-t"], port, folder):
        yield port


@contextmanager
def caddy(folder: Path, upstream: int, certificates: Certificates) -> Iterator[int]:
    """Give the port of Caddy in front of a port, once it listens."""
    port = free_port()
    file = certificates.server_file
    site = f"https://127.0.0.1:{port} {{\n\tbind 127.0.0.1\n\ttls {file} {file}"
    example = changed(
        _EXAMPLES / "Caddyfile",
        {
            "127.0.0.1:8700": f"127.0.0.1:{upstream}",
            f"\n{_HOST} {{": f"\n{site}",
        },
    )
    config = folder / "Caddyfile"
    config.write_text(f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{example}")
    program = str(STORES_DIR / "caddy")
    checked = [program, "validate", "--adapter", "caddyfile", "--config", str(config)]
    command = [program, "run", "--adapter", "caddyfile", "--config", str(config)]
    with _running(command, checked, port, folder):
        yield port


def changed(path: Path, changes: Mapping[str, str]) -> str:
    """Return a file's text with changes, each of which must find its place."""
    text = path.read_text()
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


@contextmanager
def _running(command: list[str], check: list[str], port: int, folder: Path) -> Iterator[None]:
    """Check the configuration by a command, or by options of the program itself; then run it."""
    environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    checked = check if check[0].startswith("/") else [*command, *check]
    subprocess.run(checked, env=environment, check=True)
    log = folder / "proxy.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environment, stdout=output, stderr=subprocess.STDOUT, cwd=folder
        )
    try:
        eventually(lambda: process.poll() is not None or is_listening(port))
        assert process.poll() is None, tail(log)
        yield
    finally:
        kill_process_trees(process)
