"""Which URLs a service of one machine may be given, and what they make of its hosts."""

import pytest

from infra.local.public_addresses import AddressError, PublicAddresses

OWN = "http://127.0.0.1:8700"


def addresses(base_url: str = "", files_host: str = "") -> PublicAddresses:
    variables = {"PLATEN_BASE_URL": base_url, "PLATEN_FILES_HOST": files_host}
    return PublicAddresses.from_variables(variables, OWN)


@pytest.mark.parametrize(
    ("base_url", "files_host", "api", "files", "path"),
    [
        ("", "", OWN, OWN, ""),
        ("https://api.test/v1", "", "https://api.test", "https://api.test", ""),
        ("https://api.test/v1/", "", "https://api.test", "https://api.test", ""),
        ("https://api.test/a/b/v1", "", "https://api.test/a/b", "https://api.test", "/a/b"),
        ("https://api.test:8443/v1", "", "https://api.test:8443", "https://api.test:8443", ""),
        (
            "http://[::2]:80/v1",
            "",
            "http://[::2]:80",
            "http://[::2]:80",
            "",
        ),
        ("", "https://files.test/", OWN, "https://files.test", ""),
        ("https://a.test/v1", "https://f.test", "https://a.test", "https://f.test", ""),
    ],
)
def test_urls_of_api_and_files(
    base_url: str, files_host: str, api: str, files: str, path: str
) -> None:
    read = addresses(base_url, files_host)

    assert (read.api_host, read.files_host, read.base_path) == (api, files, path)


@pytest.mark.parametrize(
    ("base_url", "files_host", "named"),
    [
        ("api.test/v1", "", "PLATEN_BASE_URL"),
        ("ftp://api.test/v1", "", "PLATEN_BASE_URL"),
        ("https:///v1", "", "PLATEN_BASE_URL"),
        ("https://api.test", "", "/v1"),
        ("https://api.test/v1/renders", "", "/v1"),
        ("https://api.test/v1?x=1", "", "PLATEN_BASE_URL"),
        ("https://user:secret@api.test/v1", "", "PLATEN_BASE_URL"),
        ("https://api.test:99999/v1", "", "PLATEN_BASE_URL"),
        ("https://[2001:db8::1/v1", "", "PLATEN_BASE_URL"),
        ("https://api.test/ä/v1", "", "PLATEN_BASE_URL"),
        ("https://api.test//v1", "", "PLATEN_BASE_URL"),
        (" https://api.test/v1", "", "PLATEN_BASE_URL"),
        ("", "files.test", "PLATEN_FILES_HOST"),
        ("", "https://files.test/platen", "PLATEN_FILES_HOST"),
    ],
)
def test_what_is_no_url_is_refused(base_url: str, files_host: str, named: str) -> None:
    with pytest.raises(AddressError, match=named):
        addresses(base_url, files_host)


def test_the_port_answers_to_its_public_hosts_and_to_loopback() -> None:
    hosts = addresses("https://api.test/v1", "https://files.test").hosts

    assert all(map(hosts.has, ("api.test", "files.test", "127.0.0.1:8700", "localhost")))
    assert not hosts.has("other.test")
    assert "api.test" in hosts.refusal
