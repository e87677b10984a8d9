"""Settings of the service: its own hosts."""

from chalicelib.settings import EngineSettings

VARIABLES = {
    "PLATEN_STACK": "platen",
    "PLATEN_BASE_URL": "https://u:p@API.example.com:8443/stage/v1",
    "PLATEN_FILES_HOST": "https://files.example.com",
    "PLATEN_GATEWAY_URL": "https://a1.execute-api.eu-central-1.amazonaws.com/live",
}


def test_own_hosts_are_those_of_the_service() -> None:
    assert EngineSettings.from_env(VARIABLES).own_hosts == {
        "api.example.com",
        "files.example.com",
        "a1.execute-api.eu-central-1.amazonaws.com",
    }


def test_own_hosts_of_the_local_stack_are_this_machine() -> None:
    defaults = {
        name: "x" for name in VARIABLES if name not in {"PLATEN_BASE_URL", "PLATEN_FILES_HOST"}
    }

    assert "127.0.0.1" in EngineSettings.from_env(defaults).own_hosts
