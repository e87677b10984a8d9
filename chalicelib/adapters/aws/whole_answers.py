"""Answers that a broken connection has cut short are asked for again.

botocore does not compare the length of an answer with the one that was announced
(`enforce_content_length=False`): half a GetItem would be read as an item that is not there.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from botocore.awsrequest import AWSResponse
    from botocore.hooks import BaseEventHooks

_PAUSE_S: Final = 0.05


def ask_again(events: "BaseEventHooks") -> None:
    """Have the clients of a session repeat calls whose answer was cut.

    As often in all as they repeat calls that failed otherwise; then they raise IncompleteReadError.
    """
    # The stubs know no handler that returns something.
    events.register_first("needs-retry", _pause_before_another)  # type: ignore[arg-type]


def _pause_before_another(**call: Any) -> float | None:
    if call["response"] is None or call["operation"].has_streaming_output:
        return None
    answer: AWSResponse = call["response"][0]
    announced = int(answer.headers.get("Content-Length") or 0)
    if call["operation"].http.get("method") == "HEAD" or len(answer.content) >= announced:
        return None
    if call["attempts"] < call["request_dict"]["context"]["retries"]["max"]:
        return float(_PAUSE_S * call["attempts"])
    from botocore.exceptions import IncompleteReadError  # noqa: PLC0415 -- heavy

    raise IncompleteReadError(actual_bytes=len(answer.content), expected_bytes=announced)
