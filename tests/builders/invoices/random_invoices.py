"""Random invoices, as changes to a valid one: any prices, quantities, rates and adjustments."""

from typing import Final

from hypothesis import strategies as st

_REASON: Final = {"reason": "r"}


def _decimals(
    places: int, *, max_value: int, min_value: int | None = None
) -> st.SearchStrategy[str]:
    return st.decimals(
        -max_value if min_value is None else min_value, max_value, places=places, allow_nan=False
    ).map(lambda number: f"{number:f}")


_AMOUNTS: Final = _decimals(2, max_value=100_000)
_RATES: Final = st.sampled_from(["7", "19", "19.00", "5.5", "20", "8.1"])
_VATS: Final = st.one_of(
    st.fixed_dictionaries({"category": st.just("S"), "rate": _RATES}),
    st.sampled_from([{"category": "Z", "rate": "0"}, {"category": "E", "rate": "0"}]),
)
_ADJUSTMENTS: Final = st.one_of(
    st.fixed_dictionaries({"amount": _AMOUNTS, **{k: st.just(v) for k, v in _REASON.items()}}),
    st.fixed_dictionaries(
        {
            "percent": _decimals(6, max_value=100, min_value=0),
            "base_amount": _AMOUNTS,
            **{k: st.just(v) for k, v in _REASON.items()},
        }
    ),
)
_PRICES: Final = st.fixed_dictionaries(
    {"net": _decimals(6, max_value=100_000, min_value=0)},
    optional={"base_quantity": st.sampled_from(["1", "3", "7", "100", "0.5", "1000"])},
)
_LINES: Final = st.fixed_dictionaries(
    {
        "quantity": _decimals(6, max_value=1_000),
        "price": _PRICES,
        "vat": _VATS,
        "item": st.just({"name": "x"}),
    },
    optional={
        "allowances": st.lists(_ADJUSTMENTS, max_size=2),
        "charges": st.lists(_ADJUSTMENTS, max_size=2),
    },
)
_DOCUMENT_ADJUSTMENTS: Final = st.lists(
    st.builds(lambda part, vat: {**part, "vat": vat}, _ADJUSTMENTS, _VATS), max_size=3
)
INVOICES: Final = st.fixed_dictionaries(
    {
        "lines": st.lists(_LINES, min_size=1, max_size=8),
        "vat_exemptions": st.just({"E": {"reason": "r"}}),
    },
    optional={
        "allowances": _DOCUMENT_ADJUSTMENTS,
        "charges": _DOCUMENT_ADJUSTMENTS,
        "prepaid_amount": _AMOUNTS,
        "rounding_amount": _decimals(2, max_value=1),
    },
)
