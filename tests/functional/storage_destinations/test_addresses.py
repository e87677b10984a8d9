"""Addresses and paths of storage destinations that are refused, and those that are not."""

from itertools import repeat

import pytest
from botocore.exceptions import ReadTimeoutError

from tests.builders.service import Service
from tests.builders.storage_destinations import (
    PATH,
    PROVIDERS,
    S3,
    SFTP,
    change_destination,
    create_destination,
    made_destination,
    shown_destination,
)

AZURE = PROVIDERS["azure_blob"][0]


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1",
        "127.0.0.1",
        "0x7f.1",
        "2130706433",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "[fd00:ec2::254]",
        "169.254.169.254",
        "localhost",
        "a.localhost.",
        "api.test",
        "FILES.test.",
        "gateway.test",
    ],
)
def test_addresses_that_are_refused_without_a_lookup(service: Service, address: str) -> None:
    endpoint = {"endpoint": f"https://{address}"}
    host = {"host": address.strip("[]")}

    for provider, config, place in (
        ("s3", endpoint, "/config/endpoint"),
        ("azure_blob", endpoint, "/config/endpoint"),
        ("sftp", host, "/config/host"),
    ):
        destination = made_destination(service, provider)
        for answer in (
            create_destination(service, provider, config=PROVIDERS[provider][0] | config),
            change_destination(service, destination, config=config),
        ):
            assert (answer.status, answer.code) == (422, "url_not_allowed")
            assert answer.pointers == [place]
        assert shown_destination(service, destination) == destination


@pytest.mark.parametrize("port", [22, 25, 6_379, 8_000])
def test_stores_are_reached_at_ports_of_the_web(service: Service, port: int) -> None:
    for provider, config in (("s3", S3), ("azure_blob", AZURE)):
        endpoint = {"endpoint": f"https://store.example.com:{port}"}
        answer = create_destination(service, provider, config=config | endpoint)
        assert (answer.code, answer.pointers) == ("url_not_allowed", ["/config/endpoint"])
    for allowed in (80, 443, 8_080, 8_443):
        endpoint = {"endpoint": f"https://store.example.com:{allowed}"}
        assert create_destination(service, config=S3 | endpoint).status == 201


@pytest.mark.parametrize("port", [21, 80, 443, 2_222])
def test_sftp_is_reached_at_its_port(service: Service, port: int) -> None:
    answer = create_destination(service, "sftp", config=SFTP | {"port": port})

    assert (answer.code, answer.pointers) == ("url_not_allowed", ["/config/port"])


def test_plain_http_is_refused(service: Service) -> None:
    for address in ("store.example.com", "198.51.99.7", "store.example.com:8080"):
        answer = create_destination(service, config=S3 | {"endpoint": f"http://{address}"})
        assert (answer.code, answer.pointers) == ("url_not_allowed", ["/config/endpoint"])


def test_operator_may_exempt_an_address_and_a_port(service: Service) -> None:
    # The service of these tests exempts 127.0.0.1:9.
    for url in ("http://127.0.0.1:9", "https://127.0.0.1:9", "http://localhost:9/account"):
        assert create_destination(service, config=S3 | {"endpoint": url}).status == 201
        assert create_destination(service, "azure_blob", config=AZURE | {"endpoint": url}).status
    near = SFTP | {"host": "127.0.0.1", "port": 9}
    assert create_destination(service, "sftp", config=near).status == 201
    for url in ("http://127.0.0.1:80", "http://127.0.0.2:9"):
        answer = create_destination(service, config=S3 | {"endpoint": url})
        assert answer.code == "url_not_allowed"


@pytest.mark.parametrize(
    ("template", "code", "line", "column", "excerpt"),
    [
        ("a/{{ n", "template_syntax_error", 1, 7, "a/{{ n"),
        ("a/\n{% if %}x{% endif %}", "template_syntax_error", 2, 7, "{% if %}x{% endif %}"),
        ("{{ a | nothing }}/", "template_runtime_error", 1, 8, "{{ a | nothing }}/"),
        ("{# open", "template_syntax_error", 1, 3, "{# open"),
    ],
)
def test_path_that_is_no_template_is_refused_with_its_place(
    service: Service, template: str, code: str, line: int, column: int, excerpt: str
) -> None:
    destination = made_destination(service, path_template="{{ customer.id }}/{{ filename }}")

    for refused in (
        create_destination(service, path_template=template),
        change_destination(service, destination, path_template=template),
    ):
        place = {name: refused.json[name] for name in ("field", "line", "column", "excerpt")}
        assert (refused.status, refused.code) == (422, code)
        assert place == {
            "field": "path_template",
            "line": line,
            "column": column,
            "excerpt": excerpt,
        }
        assert [(each["path"], each["code"]) for each in refused.json["errors"]] == [
            ("/path_template", code)
        ]
    assert shown_destination(service, destination) == destination


def test_literal_path_needs_no_engine(service: Service) -> None:
    made_destination(service, path_template="invoices/}}%}/x" + "y" * 1_009)

    assert service.engine_calls == []


def test_lost_engine_stores_nothing(service: Service) -> None:
    service.invoke_failures = repeat(ReadTimeoutError(endpoint_url="https://lambda.test"))

    answer = create_destination(service, path_template="{{ x }}/{{ filename }}")

    assert answer.code == "region_degraded"
    assert service.call("GET", PATH).json["data"] == []
