"""Guides: their tables are those of the contract, and the texts behind them are whole."""

from typing import get_args

from chalicelib.contract.invoice.constraints import PLT_RULES
from chalicelib.contract.options.output import WarningCode
from chalicelib.features.workspaces.plans import Feature
from infra.guides.options_table import PLAN_FEATURES
from infra.guides.own_findings import FINDING_ACTIONS
from infra.guides.tables import stale_pages
from infra.guides.warning_texts import WARNING_TEXTS


def test_the_tables_of_the_pages_are_those_of_the_contract() -> None:
    stale = sorted(map(str, stale_pages()))

    assert stale == [], "run python -m infra.guides.tables"


def test_each_warning_has_a_meaning() -> None:
    # The last one comes after a render has ended, and no request can name it.
    assert WARNING_TEXTS.keys() == {*get_args(WarningCode), "storage_upload_failed"}


def test_each_feature_of_a_plan_stands_in_a_table() -> None:
    assert set(PLAN_FEATURES.values()) == set(get_args(Feature.__value__))


def test_each_finding_of_the_service_has_an_action() -> None:
    assert FINDING_ACTIONS.keys() == PLT_RULES.keys()
