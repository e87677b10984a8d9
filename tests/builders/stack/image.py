"""The container image, built and run as its files say, by Debian's buildah and crun."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import yaml

from infra.local.paths import tail
from infra.setup.server_tools import LIBRARIES_FILE
from infra.setup.steps import COMMANDS_DIR, INSTALL_DIR
from infra.template import ROOT
from tests.builders.waiting import PATIENCE_S, eventually

_SERVE: Final = ROOT / "infra" / "serve"
_CA_FILE: Final = "/etc/ssl/certs/ca-certificates.crt"
# Variables that name authorities which this machine trusts, for the clients of registries.
_CA_VARIABLES: Final = ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
_CAPABILITIES: Final = ("bounding", "effective", "inheritable", "permitted", "ambient")
_NAME: Final = "platen"
_LINKER_CACHE: Final = "/etc/ld.so.cache"


class Image:
    """Image in a store of its own, and its files as a folder."""

    def __init__(self, folder: Path) -> None:
        """Build the base and the image; takes minutes."""
        self._folder = folder
        (folder / "policy.json").write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
        context = folder / "context"
        context.mkdir()
        self._build_base(context)
        self._buildah("build", *("--build-arg", "BASE=localhost/base"), *self._options("image"))
        policy = f"--signature-policy={folder / 'policy.json'}"
        container = self._buildah("from", policy, "--pull-never", "localhost/image").strip()
        self.root = Path(self._buildah("mount", container).strip())
        self.config: dict[str, Any] = json.loads(self._buildah("inspect", container))["Docker"][
            "config"
        ]

    def _build_base(self, context: Path) -> None:
        """Build what stands for the image `debian:trixie-slim`, with the machine's authorities."""
        keys = INSTALL_DIR / "server_tools" / "usr" / "share" / "keyrings"
        options = [f"--keyring={keys}"] if keys.exists() else []
        included = "--include=ca-certificates"
        command = [COMMANDS_DIR / "mmdebstrap", "--variant=minbase", included, *options]
        _run([*map(str, command), "trixie", str(context / "base.tar")])
        lines = ["FROM scratch", "ADD base.tar /"]
        if any(variable in os.environ for variable in _CA_VARIABLES):
            shutil.copy(_CA_FILE, context)
            lines.append(f"COPY ca-certificates.crt {_CA_FILE}")
            lines.append("ENV " + " ".join(f"{name}={_CA_FILE}" for name in _CA_VARIABLES))
        (context / "Containerfile").write_text("\n".join(lines) + "\n")
        policy = f"--signature-policy={self._folder / 'policy.json'}"
        self._buildah("build", "--isolation=chroot", policy, "--tag=localhost/base", str(context))

    def _options(self, tag: str) -> list[str]:
        return [
            *("--isolation=chroot", "--format=docker", f"--tag=localhost/{tag}"),
            f"--signature-policy={self._folder / 'policy.json'}",
            f"--file={_SERVE / 'Containerfile'}",
            f"--ignorefile={ROOT / '.containerignore'}",
            str(ROOT),
        ]

    def _buildah(self, *arguments: str) -> str:
        """Run buildah, whose own children find its libraries by the cache of the linker only."""
        names = INSTALL_DIR / "server_tools" / LIBRARIES_FILE
        known, cache = self._folder / "ld.so.conf", self._folder / "ld.so.cache"
        known.write_text(f"include /etc/ld.so.conf\n{names.read_text()}")
        store = [f"--root={self._folder / 'store'}", f"--runroot={self._folder / 'run'}"]
        prepare = f"/sbin/ldconfig -X -f {known} -C {cache} && mount --bind {cache} {_LINKER_CACHE}"
        return _run(
            [
                *("unshare", "--mount", "sh", "-c", f'{prepare} && exec "$@"'),
                *("sh", str(COMMANDS_DIR / "buildah"), *store, "--storage-driver=vfs", *arguments),
            ],
            HOME=str(self._folder),
        )


class Container:
    """Container of the image, as compose.yaml says, in the network of this machine."""

    def __init__(self, image: Image, folder: Path, port: int) -> None:
        """Run the image's command on a port, with the folder `data` as its volume."""
        self.port = port
        self.image = image
        self.log = folder / "container.log"
        self._folder = folder
        self.data = folder / "data"
        user = int(image.config["User"])
        self.data.mkdir(exist_ok=True)
        os.chown(self.data, user, user)
        bundle = folder / "bundle"
        bundle.mkdir(exist_ok=True)
        (bundle / "config.json").unlink(missing_ok=True)
        _run(self._crun("spec"), cwd=bundle)
        spec = json.loads((bundle / "config.json").read_text())
        (bundle / "config.json").write_text(json.dumps(self._spec(spec, user)))
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                self._crun("run", _NAME), cwd=bundle, stdout=output, stderr=subprocess.STDOUT
            )

    @property
    def base_url(self) -> str:
        """Return the base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def wait(self) -> None:
        """Wait until it serves."""
        eventually(
            lambda: self.process.poll() is not None or b"serving" in self.log.read_bytes(),
            pause_s=0.1,
        )
        assert self.process.poll() is None, tail(self.log)

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """Run a command in the container, as its user."""
        user = f"--user={self.image.config['User']}:{self.image.config['User']}"
        return subprocess.run(
            self._crun("exec", user, _NAME, *command), capture_output=True, text=True, check=False
        )

    def platen(self, *arguments: str) -> dict[str, Any]:
        """Run a command of the operator tool; return its answer."""
        done = self.run("platen", *arguments, "--json")
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def stop(self) -> None:
        """Stop it as `docker stop` does."""
        if self.process.poll() is None:
            subprocess.run(self._crun("kill", _NAME, "TERM"), check=True)
            self.process.wait(PATIENCE_S)

    def _spec(self, spec: dict[str, Any], user: int) -> dict[str, Any]:
        """Return crun's own default with what the image and compose.yaml say."""
        service = yaml.safe_load((_SERVE / "compose.yaml").read_text())["services"]["platen"]
        config, process, linux = self.image.config, spec["process"], spec["linux"]
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        process |= {
            "terminal": False,
            "user": {"uid": user, "gid": user},
            "args": [*config["Entrypoint"], *config["Cmd"], "--port", str(self.port)],
            "env": config["Env"],
            "cwd": config["WorkingDir"],
            "capabilities": {each: [] for each in _CAPABILITIES},
            "noNewPrivileges": "no-new-privileges:true" in service["security_opt"],
        }
        del process["rlimits"]
        spec["root"] = {"path": str(self.image.root), "readonly": True}
        spec["mounts"] = [
            *(each for each in spec["mounts"] if not each["destination"].startswith("/sys")),
            _mount("/data", str(self.data), "bind", "rw"),
            *(_tmpfs(each) for each in service["tmpfs"]),
        ]
        linux["namespaces"] = [{"type": each} for each in ("pid", "ipc", "uts", "mount")]
        del linux["resources"]
        profile = next(each for each in service["security_opt"] if each.startswith("seccomp="))
        linux["seccomp"] = json.loads((_SERVE / profile.removeprefix("seccomp=")).read_text())
        return spec

    def _crun(self, *arguments: str) -> list[str]:
        """Return a command of crun, which sees no control groups: a machine may have both kinds."""
        state = f"--root={self._folder / 'state'}"
        hidden = 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"'
        crun = [str(COMMANDS_DIR / "crun"), "--cgroup-manager=disabled", state, *arguments]
        return ["unshare", "--mount", "sh", "-c", hidden, "sh", *crun]


@contextmanager
def container_of(image: Image, folder: Path, port: int) -> Iterator[Container]:
    """Give a container that serves; stop it at the end."""
    container = Container(image, folder, port)
    try:
        container.wait()
        yield container
    finally:
        container.stop()


def _mount(destination: str, source: str, *options: str) -> dict[str, Any]:
    return {
        "destination": destination,
        "type": "none",
        "source": source,
        "options": [*options, "nosuid", "nodev"],
    }


def _tmpfs(text: str) -> dict[str, Any]:
    path, _, options = text.partition(":")
    return _mount(path, "tmpfs", *options.split(",")) | {"type": "tmpfs"}


def _run(command: Sequence[str], *, cwd: Path | None = None, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout
