"""HTTP fetches of any URL end in one of two errors."""

import pytest
from hypothesis import example, given
from hypothesis.strategies import sampled_from, text

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.engine.ports import HostRefusedError, HostUnreachableError


def nowhere(host: str, _port: int) -> list[str]:
    raise OSError(host)


EGRESS = GuardedEgress(allow="", own_hosts=frozenset(), resolve=nowhere)
STARTS = ["http://", "https://", "HTTP:", "http:/", "//", "", "https://[", "http://a@", "http://a:"]


@given(sampled_from(STARTS), text(max_size=40))
@example("http://", "a/\udc80")
@example("http://", "\udc80/")
@example("http://", "a:99999/")
@example("http://", "a:-1/")
@example("http://", "a\0b/")
@example("http://", "a b/")
@example("http://", "xn--/")
@example("http://", "\u2488\u3002/")
@example("http://", "a" * 100_000)
@example("http://a/", "x" * 100_000)
def test_fetching_any_url_is_refused_or_unreachable(start: str, rest: str) -> None:
    with pytest.raises((HostRefusedError, HostUnreachableError)) as error:
        EGRESS.fetch(start + rest, max_bytes=1, timeout_s=5)

    assert str(error.value)
    assert len(str(error.value)) < 400
