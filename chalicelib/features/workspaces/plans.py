"""Plans as a table of limits, prices and features."""

from typing import Final, Literal, NamedTuple

type Feature = Literal["storage", "pdfa", "pdfua", "einvoices", "email"]


class Plan(NamedTuple):
    """Limits, price and features of a plan; `pack_renders` is 0 for a plan without packs.

    `upload_gb`: the size of all uploads of a workspace together. `max_assets_mb`: that of the
    assets of one document.
    """

    code: str
    included_renders: int
    rate_limit_rps: int
    sync_concurrency: int
    bulk_concurrency: int
    sync_timeout_s: int
    max_pages: int
    max_payload_mb: int
    test_renders_per_minute: int
    upload_gb: int
    price_cents: int
    pack_renders: int = 0
    pack_cents: int = 0
    email_recipients_per_day: int = 0
    features: frozenset[Feature] = frozenset()
    # Days for which a render can be read after it ended; statistics stay.
    history_days: int = 400
    max_assets_mb: int = 20


_BASIC: Final[frozenset[Feature]] = frozenset({"storage"})
_ALL: Final[frozenset[Feature]] = frozenset({"storage", "pdfa", "pdfua", "einvoices", "email"})

# A form of Gotenberg's routes may have as much on an own server.
_FORM_MB: Final = 100
# More than a server renders in its life.
_NO_END: Final = 1_000_000_000_000

_ROWS: Final = (
    # code, renders, rps, sync, bulk, s, pages, MB, test/min, GB, cents, pack, its cents, emails
    Plan("free", 100, 2, 1, 2, 15, 20, 1, 10, 2, 0),
    Plan("starter", 2_000, 5, 3, 5, 25, 100, 2, 60, 10, 1_900, 1_000, 1_000, 0, _BASIC),
    Plan("growth", 10_000, 10, 5, 10, 25, 300, 3, 60, 10, 4_900, 1_000, 1_000, 1_000, _ALL),
    Plan("pro", 50_000, 25, 10, 25, 28, 1_000, 4, 120, 50, 14_900, 1_000, 1_000, 5_000, _ALL),
    Plan("scale", 250_000, 100, 50, 100, 28, 2_000, 4, 300, 50, 49_900, 1_000, 1_000, 25_000, _ALL),
    # Of an own server: the limits of scale, and no allowance to use up.
    Plan(
        "self_hosted", _NO_END, 100, 50, 100, 28, 2_000, 4, 300, 50, 0, 0, 0, 25_000, _ALL
    )._replace(max_assets_mb=_FORM_MB),
)

PLANS: Final = {plan.code: plan for plan in _ROWS}
