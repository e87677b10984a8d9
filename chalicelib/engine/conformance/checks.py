"""What can be asked of the validators, and what they answer."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, Protocol, Self

from chalicelib.engine.deadline import Deadline

type CheckSubject = Literal["einvoice", "pdfa", "pdfua"]

PDFA_PROFILES: Final = ("2b", "2u", "2a", "3b", "3u", "3a")
PDFUA_PROFILES: Final = ("ua1",)


@dataclass(frozen=True, slots=True)
class ConformanceCheck:
    """One question about one document; `kind` is what the validators call it.

    What a document does not claim to be is told, and fails nothing.
    """

    subject: CheckSubject
    profile: str
    kind: str
    claimed: bool = True

    @classmethod
    def pdfa(cls, profile: str) -> Self:
        """Ask whether a PDF is PDF/A of this part and level, such as `3b`."""
        return cls("pdfa", profile, f"pdf-{profile}")

    @classmethod
    def pdfua(cls, *, claimed: bool = True) -> Self:
        """Ask whether a PDF is PDF/UA-1."""
        return cls("pdfua", "ua1", "pdf-ua1", claimed)

    @classmethod
    def cii(cls, profile: str) -> Self:
        """Ask whether an XML is an invoice of this profile in CII."""
        return cls("einvoice", profile, f"cii-{profile}")

    @classmethod
    def ubl(cls, profile: str, *, credit_note: bool) -> Self:
        """Ask whether an XML is an invoice or a credit note of this profile in UBL."""
        document = "CreditNote" if credit_note else "Invoice"
        return cls("einvoice", profile, f"ubl-{document}-{profile}")

    def to_json(self) -> dict[str, Any]:
        """Return the plain form, as it goes between functions."""
        return asdict(self)

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        """Read the plain form."""
        return cls(**plain)

    @property
    def syntax(self) -> str | None:
        """Return `cii` or `ubl` of an e-invoice."""
        return self.kind.partition("-")[0] if self.subject == "einvoice" else None


@dataclass(frozen=True, slots=True)
class RawFinding:
    """One finding as a validator told it; `source` names the sheet or engine."""

    source: str
    severity: str
    rule: str
    message: str
    location: str
    count: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one check; without findings (None) there is no verdict, and `why` tells."""

    findings: tuple[RawFinding, ...] | None = None
    validator: str | None = None
    scenario: str | None = None
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the plain form, as it goes between functions."""
        return asdict(self)

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        """Read the plain form, and nothing more that another release may have added."""
        found = plain["findings"]
        names = RawFinding.__slots__
        findings = (
            None
            if found is None
            else tuple(RawFinding(**{name: each[name] for name in names}) for each in found)
        )
        return cls(findings, plain["validator"], plain["scenario"], plain["why"])


class Validator(Protocol):
    """Judges documents; never raises: what it cannot judge has a verdict without findings."""

    def validate(
        self,
        content: bytes,
        checks: Sequence[ConformanceCheck],
        deadline: Deadline,
        *,
        may_store: bool = True,
    ) -> Sequence[Verdict]:
        """Answer each check of one document, in their order.

        Without `keep` nothing of the document may be stored on its way, not even for seconds.
        """
        ...


class NoValidator:
    """Stands where no validator is configured."""

    def validate(
        self,
        content: bytes,
        checks: Sequence[ConformanceCheck],
        deadline: Deadline,
        *,
        may_store: bool = True,
    ) -> Sequence[Verdict]:
        """Answer that there is no verdict."""
        del content, deadline, may_store
        return [Verdict(why="no validator is configured") for _ in checks]
