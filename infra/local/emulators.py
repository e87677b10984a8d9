"""Emulators: MiniStack and dynoxide, unless the user names other endpoints (decisions 55, 58)."""

import os
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infra.local.access.hosts import LOOPBACK_HOSTS, OwnHosts
from infra.local.access.keys import AccessKey
from infra.local.paths import INSTALL_DIR, StackFolder, free_port, tail
from infra.local.processes import Spawner, kill_process_trees
from infra.local.runner.environment import REGION
from infra.template import ROOT

if TYPE_CHECKING:
    import subprocess

    from boto3.session import Session

DYNOXIDE_NAME: Final = "dynoxide"
MINISTACK: Final = "MiniStack"
START_TIMEOUT_S: Final = 60.0
_MINISTACK_SERVICES: Final = ("s3", "sqs", "kms", "secretsmanager")
DYNOXIDE: Final = INSTALL_DIR / "bin" / "dynoxide"
_MINISTACK: Final = INSTALL_DIR / "ministack"
_LOCALSTACK: Final = INSTALL_DIR / "localstack"


class StackError(Exception):
    """The stack cannot start; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Emulator:
    """One emulator that is starting or running."""

    name: str
    url: str
    health_path: str
    process: "subprocess.Popen[bytes]"
    log: Path

    def wait(self) -> None:
        """Wait until the emulator answers; raises StackError with the end of its log."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            if _is_answering(self.url + self.health_path):
                return
            time.sleep(0.03)
        message = f"{self.name} did not start:\n{tail(self.log)}"
        raise StackError(message)

    def stop(self) -> None:
        """Kill the emulator and its child processes."""
        kill_process_trees(self.process)


def start_emulators(
    folder: StackFolder, spawner: Spawner, hosts: OwnHosts
) -> tuple[list[Emulator], dict[str, str]]:
    """Start the emulators that the user's endpoints do not replace.

    Requests for objects come from clients that reach the service at `hosts`.

    Returns them and the variables that give access: the endpoints of all services, and the key.
    The key is the user's where both the user's endpoints and key are set, else a random one, which
    a stack that is kept keeps: so forms and addresses that it has signed hold over a restart.
    """
    given = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("AWS_ENDPOINT_URL") and value
    }
    has_key = given and {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} <= os.environ.keys()
    key = AccessKey.from_variables(os.environ) if has_key else _own_key(folder)
    emulators = []
    endpoints: dict[str, str] = {}
    if not is_elsewhere("dynamodb"):
        dynoxide = start_dynoxide(folder, spawner, key)
        emulators.append(dynoxide)
        endpoints["AWS_ENDPOINT_URL_DYNAMODB"] = dynoxide.url
    named = {f"AWS_ENDPOINT_URL_{_endpoint_suffix(service)}" for service in _MINISTACK_SERVICES}
    if "AWS_ENDPOINT_URL" not in given and not named <= given.keys():
        ministack = start_ministack(folder, spawner, key, hosts)
        emulators.append(ministack)
        endpoints["AWS_ENDPOINT_URL"] = ministack.url
    return emulators, {**endpoints, **given, **key.variables()}


def is_elsewhere(service: str) -> bool:
    """Tell whether an endpoint of the user has this service's data, not the stack's folder."""
    names = ("AWS_ENDPOINT_URL", f"AWS_ENDPOINT_URL_{_endpoint_suffix(service)}")
    return any(map(os.environ.get, names))


def _own_key(folder: StackFolder) -> AccessKey:
    if not folder.is_kept:
        return AccessKey.random()
    folder.keys.mkdir(mode=0o700, exist_ok=True)
    return AccessKey.kept_in(folder.keys / "access.json")


def client_factory(
    endpoints: Mapping[str, str], *, timeout_s: float | None = None
) -> Callable[[str], Any]:
    """Return a function that returns the boto3 client of a service, created once.

    `endpoints` are the variables that give access, with the key. With `timeout_s` a client gives
    up after that time and tries once.
    """
    import boto3  # noqa: PLC0415 -- loaded while the emulators start
    from botocore.config import Config  # noqa: PLC0415

    key = AccessKey.from_variables(endpoints)
    session: Session = boto3.session.Session(
        aws_access_key_id=key.id,
        aws_secret_access_key=key.secret,
        region_name=REGION,
    )
    patience = (
        Config()
        if timeout_s is None
        else Config(
            connect_timeout=timeout_s, read_timeout=timeout_s, retries={"total_max_attempts": 1}
        )
    )
    cached: dict[str, Any] = {}
    lock = threading.Lock()

    def clients(service: str) -> Any:
        with lock:
            if service not in cached:
                url = endpoints.get(f"AWS_ENDPOINT_URL_{_endpoint_suffix(service)}")
                url = url or endpoints.get("AWS_ENDPOINT_URL")
                create: Any = session.client
                # By itself boto3 signs addresses of objects in the old way.
                config = Config(signature_version="s3v4") if service == "s3" else Config()
                cached[service] = create(service, endpoint_url=url, config=config.merge(patience))
            return cached[service]

    return clients


def _endpoint_suffix(service: str) -> str:
    return {"secretsmanager": "SECRETS_MANAGER"}.get(service, service.upper())


def start_dynoxide(folder: StackFolder, spawner: Spawner, key: AccessKey) -> Emulator:
    """Start dynoxide, the DynamoDB emulator, behind the check of signatures."""
    _require_installed(DYNOXIDE)
    port, log = free_port(), folder.private_log("dynoxide")
    command = [sys.executable, "-m", "infra.local.dynoxide", str(port), str(DYNOXIDE)]
    if folder.is_kept:
        folder.tables_file.parent.mkdir(mode=0o700, exist_ok=True)
        command += ["--db-path", str(folder.tables_file)]
    with log.open("wb") as output:
        process = spawner.start(
            command,
            environment=_base_environment() | key.variables(),
            output=output,
        )
    return Emulator(DYNOXIDE_NAME, f"http://127.0.0.1:{port}", "/", process, log)


def start_ministack(
    folder: StackFolder, spawner: Spawner, key: AccessKey, hosts: OwnHosts = LOOPBACK_HOSTS
) -> Emulator:
    """Start MiniStack, the emulator of the bucket, the queues, the keys and the secrets."""
    python = _MINISTACK / "bin" / "python"
    _require_installed(python)
    port, log = free_port(), folder.private_log("ministack")
    scratch = folder.scratch / "ministack"
    (scratch / "tmp").mkdir(parents=True)
    environment = {
        **_base_environment(),
        **key.variables(),
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "IOT_MTLS_ENABLED": "0",
        "LOG_LEVEL": "WARNING",
        # Queues are named by the address that all parts use.
        "MINISTACK_HOST": "127.0.0.1",
        "MINISTACK_REGION": REGION,
        "PUBLIC_HOSTS": ",".join(hosts.names),
        "PYTHONPATH": str(ROOT),
        # Objects are files of the stack's folder; only the parts of open uploads are in memory.
        "S3_DATA_DIR": str(scratch / "objects"),
        "S3_PERSIST": "1",
        "SERVICES": ",".join(_MINISTACK_SERVICES),
        "SFTP_ENABLED": "0",
        "TMPDIR": str(scratch / "tmp"),
    }
    if folder.is_kept:
        folder.keys.mkdir(mode=0o700, exist_ok=True)
        environment["PLATEN_KEPT_STATE"] = str(folder.keys)
    with log.open("wb") as output:
        process = spawner.start(
            [str(python), "-P", str(Path(__file__).with_name("ministack.py"))],
            environment=environment,
            output=output,
            folder=scratch,
        )
    return Emulator(MINISTACK, f"http://127.0.0.1:{port}", "/_ministack/health", process, log)


def start_localstack(
    folder: StackFolder, spawner: Spawner, settings: Mapping[str, str]
) -> Emulator:
    """Start LocalStack, which only tests use; `settings` are further variables for it."""
    python, certificate = (
        _LOCALSTACK / "bin" / "python",
        _LOCALSTACK / "certificate.pem",
    )
    _require_installed(certificate, "make setup-tests")
    port, log = free_port(), folder.private_log("localstack")
    scratch = folder.scratch / "localstack"
    (scratch / "tmp").mkdir(parents=True)
    environment = {
        **_base_environment(),
        "CUSTOM_SSL_CERT_PATH": str(certificate),
        "DISABLE_EVENTS": "1",
        "DNS_ADDRESS": "0",
        "EAGER_SERVICE_LOADING": "1",
        "GATEWAY_LISTEN": f"127.0.0.1:{port}",
        "LOCALSTACK_VOLUME_DIR": str(scratch / "volume"),
        "LS_LOG": "warn",
        # By default LocalStack serves expired and altered presigned URLs.
        "S3_SKIP_SIGNATURE_VALIDATION": "0",
        "SKIP_SSL_CERT_DOWNLOAD": "1",
        "STRICT_SERVICE_LOADING": "1",
        "TMPDIR": str(scratch / "tmp"),
        **settings,
    }
    with log.open("wb") as output:
        process = spawner.start(
            [str(python), "-P", str(Path(__file__).with_name("localstack.py"))],
            environment=environment,
            output=output,
            folder=scratch,
        )
    url = f"http://127.0.0.1:{port}"
    return Emulator("LocalStack", url, "/_localstack/health", process, log)


def _base_environment() -> dict[str, str]:
    inherited = ("PATH", "HOME", "LANG")
    return {name: os.environ[name] for name in inherited if name in os.environ}


def _require_installed(path: Path, command: str = "make setup") -> None:
    if not path.exists():
        message = f"{path} is missing: run `{command}`"
        raise StackError(message)


def _is_answering(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=1):  # noqa: S310 -- loopback
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
