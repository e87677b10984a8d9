"""Row sizes of renders: the worst case that must fit, and values that are left out."""

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderTrace
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service


def test_longest_header_and_footer_are_not_stored_in_the_row(service: Service) -> None:
    long = {"enabled": True, "html": "ü" * 200_000}

    answer = service.render(output={"pdf": {"header": long, "footer": long}})

    assert answer.status == 200, answer.body[:300]
    assert answer.json["output"]["pdf"]["header"] == {"enabled": True}
    header = service.engine.jobs[0].output.pdf.header_footer.header
    assert header is not None
    assert header.html == long["html"]


def test_row_fits_the_largest_metadata(service: Service) -> None:
    metadata = {f"{n:02d}" + "k" * 38: "界" * 500 for n in range(50)}

    answer = service.render(metadata=metadata)

    assert answer.status == 200, answer.body[:300]
    assert answer.json["metadata"] == metadata


def test_metadata_beyond_its_bounds_is_refused_with_its_pointer(service: Service) -> None:
    too_many = service.render(metadata={str(n): n for n in range(51)})
    too_long = service.render(metadata={"a": "x" * 501})
    no_scalar = service.render(metadata={"a": ["x"]})

    assert too_many.pointers == ["/metadata"]
    assert "/metadata/a" in too_long.pointers[0]
    assert "/metadata/a" in no_scalar.pointers[0]


def test_function_killed_before_its_claim_is_invoked_again(service: Service) -> None:
    service.invoke_failures = iter([FunctionKilled()])

    assert service.render().json["status"] == "succeeded"


def test_row_stores_invalid_unicode_of_a_page(service: Service) -> None:
    def fail(_job: object) -> None:
        raise RenderFailure(
            "render_failed", "half \ud800 a pair", trace=RenderTrace(logs=("log: \udfff",))
        )

    service.engine.before_run = fail

    answer = service.render()

    assert answer.code == "render_failed"
    assert answer.json["detail"] == "half ? a pair"
    render = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert render["logs"] == ["log: ?"]


def test_sync_deadline_depends_on_timeout_behavior(service: Service) -> None:
    service.render(timeout_behavior="cancel")
    service.render(timeout_behavior="continue")

    canceled, continued = (context.deadline for context in service.engine.contexts)

    now = service.clock.now().timestamp()
    assert now + 27 < canceled < now + 28
    assert continued == now + 120
