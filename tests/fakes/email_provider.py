"""Provider of a test: it keeps the emails that it gets, and answers as it is told."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from chalicelib.core.json import JsonObject
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.outgoing import Check, CheckedSession, HandOver, OutgoingEmail

type Answer = HandOver | BaseException

ACCEPTED = HandOver("accepted", provider_message_id="<m@provider.test>")
UNAVAILABLE = HandOver("retry", "email_provider_unavailable", "The provider is not available.")
REJECTED = HandOver(
    "rejected",
    "email_provider_rejected",
    "The provider refused the email.",
    provider_code="invalid_parameter",
    provider_status=400,
)
NO_ANSWER = HandOver("unknown", "email_outcome_unknown", "The provider gave no answer.")


class FakeProvider:
    """Provider whose answers are listed; then it accepts.

    `before` are raised before it could accept, `answers` are given after that.
    """

    def __init__(self, *answers: Answer) -> None:
        self.accepted: list[OutgoingEmail] = []
        self.attempts: list[OutgoingEmail] = []
        self.credentials: list[JsonObject] = []
        self.before: list[Answer] = []
        self.answers: list[Answer] = [*answers]
        self.open_sessions = 0

    @contextmanager
    def open(
        self,
        connection: EmailConnection,  # noqa: ARG002 -- as an OpenSession has it
        credentials: JsonObject,
        timeout_s: float | None = None,  # noqa: ARG002 -- as an OpenSession has it
    ) -> Iterator[CheckedSession]:
        """Open a session, as an OpenSession does."""
        self.credentials.append(credentials)
        self.open_sessions += 1
        yield self
        self.open_sessions -= 1

    def checks(self, _sample: OutgoingEmail) -> Sequence[Check]:
        return ()

    def send(self, email: OutgoingEmail, before_acceptance: Callable[[], None]) -> HandOver:
        self.attempts.append(email)
        early = _given(self.before)
        if early is not None:
            return early
        before_acceptance()
        answer = _given(self.answers) or ACCEPTED
        if answer.result in {"accepted", "unknown"}:
            self.accepted.append(email)
        return answer


def _given(answers: list[Answer]) -> HandOver | None:
    """Return the next answer, or None; raises it if it is an exception."""
    answer = answers.pop(0) if answers else None
    if isinstance(answer, BaseException):
        raise answer
    return answer
