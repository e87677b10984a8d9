"""Logs: one line a record, with the request's id, whoever else is configured in the process."""

import json
import logging

import pytest

from chalicelib.adapters.json_logs import REQUEST_ID, configure
from chalicelib.api._app import App
from tests.fakes.edge import EdgeServices


def test_a_record_is_one_line_with_the_request_id(capsys: pytest.CaptureFixture[str]) -> None:
    App((), EdgeServices)
    configure("render")
    token = REQUEST_ID.set("req_1")
    try:
        logging.getLogger("chalicelib.somewhere").info("hello")
    finally:
        REQUEST_ID.reset(token)

    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (line["message"], line["request_id"]) == ("hello", "req_1")
