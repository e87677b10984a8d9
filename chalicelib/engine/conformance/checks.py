"""Checks that validators run, requests for them, their verdicts, and the port of a validator."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, NotRequired, Protocol, Self, TypedDict

from chalicelib.engine.deadline import Deadline

if TYPE_CHECKING:
    from chalicelib.engine.conformance.html_places import HtmlPlaces
    from chalicelib.engine.conformance.invoice_field_paths import InvoiceFieldPaths

type CheckSubject = Literal["einvoice", "pdfa", "pdfua"]

PDFA_PROFILES: Final = ("2b", "2u", "2a", "3b", "3u", "3a")
PDFUA_PROFILES: Final = ("ua1",)


class CheckJson(TypedDict):
    """Plain form of a check, which is sent between functions."""

    subject: CheckSubject
    profile: str
    kind: str
    claimed: NotRequired[bool]


class RawFindingJson(TypedDict):
    """Plain form of a validator's finding."""

    source: str
    severity: str
    rule: str
    message: str
    location: str
    count: int


class VerdictJson(TypedDict):
    """Plain form of a verdict, which is sent between functions."""

    findings: Sequence[RawFindingJson] | None
    validator: str | None
    scenario: str | None
    why: str


@dataclass(frozen=True, slots=True)
class ConformanceCheck:
    """One check of one document; `kind` is its name for the validators.

    A document that does not claim the standard (`claimed` False) does not fail because its metadata
    lack the claim: that finding is a warning. With `report_only` a failed check fails no render:
    the document is the caller's, who wants the report.
    """

    subject: CheckSubject
    profile: str
    kind: str
    claimed: bool = True
    report_only: bool = False

    @classmethod
    def pdfa(cls, profile: str, *, claimed: bool = True) -> Self:
        """Return the check of a PDF against a part and level of PDF/A, such as `3b`."""
        return cls("pdfa", profile, f"pdf-{profile}", claimed)

    @classmethod
    def pdfua(cls, *, claimed: bool = True) -> Self:
        """Return the check of a PDF against PDF/UA-1."""
        return cls("pdfua", "ua1", "pdf-ua1", claimed)

    @classmethod
    def cii(cls, profile: str) -> Self:
        """Return the check of an XML against a profile in CII."""
        return cls("einvoice", profile, f"cii-{profile}")

    @classmethod
    def ubl(cls, profile: str, *, credit_note: bool) -> Self:
        """Return the check of an XML against a profile in UBL."""
        document = "CreditNote" if credit_note else "Invoice"
        return cls("einvoice", profile, f"ubl-{document}-{profile}")

    def to_json(self) -> CheckJson:
        """Return the plain form that is sent to validators; `report_only` does not concern them."""
        return {
            "subject": self.subject,
            "profile": self.profile,
            "kind": self.kind,
            "claimed": self.claimed,
        }

    @classmethod
    def from_json(cls, plain: CheckJson) -> Self:
        """Read the plain form."""
        return cls(**plain)

    @property
    def syntax(self) -> str | None:
        """Return `cii` or `ubl`; None for a PDF."""
        return self.kind.partition("-")[0] if self.subject == "einvoice" else None


@dataclass(frozen=True, slots=True)
class RawFinding:
    """One finding of a validator; `source` names the rule sheet or the engine."""

    source: str
    severity: str
    rule: str
    message: str
    location: str
    count: int

    def to_json(self) -> RawFindingJson:
        """Return the plain form that is sent between functions."""
        return {
            "source": self.source,
            "severity": self.severity,
            "rule": self.rule,
            "message": self.message,
            "location": self.location,
            "count": self.count,
        }

    @classmethod
    def from_json(cls, plain: RawFindingJson) -> Self:
        """Read the plain form; ignore fields that a newer release has added."""
        return cls(
            plain["source"],
            plain["severity"],
            plain["rule"],
            plain["message"],
            plain["location"],
            plain["count"],
        )


class ValidationRequest(NamedTuple):
    """Request to the validators about one file.

    `field_paths` are those of the e-invoice that the file is. `own_findings` are findings of the
    engine that the validators cannot see; they belong to the last check. `html_places` are those
    of the page that the file was made of.
    """

    content: bytes
    checks: tuple[ConformanceCheck, ...]
    field_paths: "InvoiceFieldPaths | None" = None
    own_findings: tuple[RawFinding, ...] = ()
    html_places: "HtmlPlaces | None" = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one check; `findings` None means no verdict, and `why` has the reason."""

    findings: tuple[RawFinding, ...] | None = None
    validator: str | None = None
    scenario: str | None = None
    why: str = ""

    def to_json(self) -> VerdictJson:
        """Return the plain form that is sent between functions."""
        return {
            "findings": (
                None if self.findings is None else [each.to_json() for each in self.findings]
            ),
            "validator": self.validator,
            "scenario": self.scenario,
            "why": self.why,
        }

    @classmethod
    def from_json(cls, plain: VerdictJson) -> Self:
        """Read the plain form."""
        raw = plain["findings"]
        findings = None if raw is None else tuple(RawFinding.from_json(each) for each in raw)
        return cls(findings, plain["validator"], plain["scenario"], plain["why"])


class Validator(Protocol):
    """Port of a validator. It never raises: a failure is a verdict without findings."""

    def validate(
        self,
        content: bytes,
        checks: Sequence[ConformanceCheck],
        deadline: Deadline,
        *,
        may_store: bool = True,
    ) -> Sequence[Verdict]:
        """Return the verdict of each check of one document, in order.

        With `may_store` False nothing of the document may be stored on its way, not even for
        seconds.
        """
        ...


class NoValidator:
    """Validator of a stage that has none configured."""

    def validate(
        self,
        content: bytes,
        checks: Sequence[ConformanceCheck],
        deadline: Deadline,
        *,
        may_store: bool = True,
    ) -> Sequence[Verdict]:
        """Return no verdict for each check."""
        del content, deadline, may_store
        return [Verdict(why="no validator is configured") for _ in checks]
