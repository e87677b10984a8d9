"""Rule sets of invoices, chosen by the guideline of a document (BT-24)."""

from dataclasses import dataclass
from typing import Final

from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.einvoice.profiles import (
    EN16931_GUIDELINE,
    PROFILES,
    XRECHNUNG_GUIDELINE,
    InvoiceProfile,
)

CII_DOCUMENT: Final = "CrossIndustryInvoice"
_UBL_DOCUMENTS: Final = ("Invoice", "CreditNote")
# How a reader of a finding knows the kinds of documents.
_DOCUMENT_NAMES: Final = {
    CII_DOCUMENT: "CII",
    "Invoice": "UBL (Invoice)",
    "CreditNote": "UBL (CreditNote)",
}


@dataclass(frozen=True, slots=True)
class _RuleSet:
    """Official rules of a guideline, by root element; extensions of it may begin with its name."""

    profile: str
    guideline: str
    documents: tuple[str, ...]
    has_extensions: bool = False

    def covers(self, guideline: str) -> bool:
        """Tell whether a guideline is this one, or begins with it where that is allowed."""
        return guideline == self.guideline or (
            self.has_extensions and guideline.startswith(f"{self.guideline}#")
        )


def _profile_rules(profile: InvoiceProfile) -> _RuleSet:
    cii = (CII_DOCUMENT,) if "cii" in profile.syntaxes else ()
    ubl = _UBL_DOCUMENTS if "ubl" in profile.syntaxes else ()
    return _RuleSet(
        profile.name,
        profile.guideline,
        (*cii, *ubl),
        has_extensions=profile.name == "PEPPOL",
    )


# PEPPOL-EN16931-R004 and its like in PINT demand only the beginning.
_RULE_SETS: Final = (
    *(_profile_rules(profile) for profile in PROFILES.values()),
    _RuleSet(
        "PEPPOL_SELF_BILLING",
        f"{EN16931_GUIDELINE}#compliant#urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0",
        _UBL_DOCUMENTS,
        has_extensions=True,
    ),
    _RuleSet("PINT_EU", "urn:peppol:pint:billing-1@eu-1", _UBL_DOCUMENTS, has_extensions=True),
    _RuleSet(
        "NLCIUS",
        f"{EN16931_GUIDELINE}#compliant#urn:fdc:nen.nl:nlcius:v1.0",
        (CII_DOCUMENT, *_UBL_DOCUMENTS),
    ),
    # KoSIT has no scenario for a credit note of the extension.
    _RuleSet(
        "XRECHNUNG_EXTENSION",
        f"{XRECHNUNG_GUIDELINE}#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0",
        (CII_DOCUMENT, "Invoice"),
    ),
    _RuleSet(
        "XRECHNUNG_CVD",
        f"{XRECHNUNG_GUIDELINE}#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_0.9",
        (CII_DOCUMENT, *_UBL_DOCUMENTS),
    ),
    _RuleSet(
        "EXTENDED_CTC_FR",
        f"{EN16931_GUIDELINE}#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr",
        (CII_DOCUMENT, *_UBL_DOCUMENTS),
    ),
)


def rule_check(guideline: str, document: str) -> ConformanceCheck | None:
    """Return the check of a document by its guideline and root element; None without rules."""
    rules = _rule_set(guideline)
    if rules is None or document not in rules.documents:
        return None
    if document == CII_DOCUMENT:
        return ConformanceCheck.cii(rules.profile)
    return ConformanceCheck.ubl(rules.profile, credit_note=document == "CreditNote")


def missing_rules(guideline: str, document: str) -> str:
    """Return which rules are missing for a document that `rule_check` has none for."""
    missing = (
        f"There are no rules here for the guideline {guideline!r} in {_DOCUMENT_NAMES[document]}"
    )
    rules = _rule_set(guideline)
    if rules is None:
        return missing
    known = " and ".join(_DOCUMENT_NAMES[each] for each in rules.documents)
    return f"{missing}: {rules.profile} has rules for {known} only"


def _rule_set(guideline: str) -> _RuleSet | None:
    return next((each for each in _RULE_SETS if each.covers(guideline)), None)
