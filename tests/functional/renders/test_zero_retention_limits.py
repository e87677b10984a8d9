"""Zero retention: requests that are refused because they need storage."""

from tests.builders.service import Service


def test_zero_retention_file_over_the_response_limit_is_refused(service: Service) -> None:
    for kind in ("binary", "base64"):
        wish = {"type": kind, "retention": "none"}
        service.engine.content = b"x" * 4_300_000
        assert service.render(delivery=wish).status == 200
        service.engine.content = b"x" * 4_300_001
        answer = service.render(delivery=wish)
        assert answer.code == "output_too_large"
        assert "4300000" in answer.json["detail"]
    assert service.objects() == []


def test_zero_retention_body_over_the_invocation_limit_is_refused(service: Service) -> None:
    numbers = ",".join(["1e15"] * 700_000)
    fields = '"delivery":{"type":"binary","retention":"none"}'
    body = '{"input":{"type":"html","html":"x"},' + fields + ',"data":{"n":[' + numbers + "]}}"

    answer = service.call("POST", "/v1/renders", body=body.encode())

    assert (answer.code, answer.status) == ("payload_too_large", 413)
    assert service.limits()["holds"] == {}
    assert service.objects() == []


def test_zero_retention_refuses_uploads(service: Service) -> None:
    source = {"upload_id": "upl_1"}
    attached = {"attachments": [source | {"filename": "a"}]}
    for body, pointer in (
        ({"input": {"type": "html"} | source}, "/input/upload_id"),
        ({"output": {"pdf": attached}}, "/output/pdf/attachments/0/upload_id"),
        (
            {"output": {"pdf": {"watermark": {"image": source}}}},
            "/output/pdf/watermark/image/upload_id",
        ),
    ):
        answer = service.render(delivery={"type": "binary", "retention": "none"}, **body)
        assert (answer.code, answer.pointers) == ("validation_error", [pointer])
