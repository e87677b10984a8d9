"""Texts of examples that are the same in each run, in place of random ids and secrets."""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

# A prefix, the time of an id, and its random part.
_ID: Final = re.compile(r"\b([a-z]{2,5}_[0-7][0-9A-HJKMNP-TV-Z]{9})([0-9A-HJKMNP-TV-Z]{16})\b")
# The id of an API key, which is random as a whole.
_KEY_ID: Final = re.compile(r"\bkey_[0-9A-Za-z]{24}\b")
_SHOWN_KEY_ID: Final = "key_" + "0" * 24
_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# The hexadecimal digests of files and addresses, and the signatures of webhooks.
_DIGEST: Final = re.compile(r"\b(v1,)?([0-9a-f]{64}\b|(?<=v1,)[A-Za-z0-9+/]{43}=)")
_DIGEST_END: Final = hashlib.sha256(b"an example").digest()[1:]
# What is measured, and shown as these numbers.
_MEASURED: Final = {
    "latency_ms": 84,
    "template_ms": 8,
    "load_ms": 120,
    "print_ms": 160,
    "finish_ms": 35,
    "validate_ms": 90,
    "store_ms": 40,
    "total_ms": 470,
}
# What a table gives back in any order.
_UNORDERED: Final = frozenset({"config", "default_from", "senders", "headers"})
# The fields of the form of an announced upload that are signed anew each time.
_SIGNED_FIELDS: Final = {
    "policy": "eyJjb25kaXRpb25zIjogW119",
    "x-amz-date": "20261121T120420Z",
    "x-amz-credential": "example/20261121/eu-central-1/s3/aws4_request",
    "x-amz-signature": "0" * 64,
}
_HOSTS: Final = {
    "https://api.test": "https://api.platen.example",
    "https://files.test": "https://files.platen.example",
}


class StableText:
    """Replacement of texts that are random, each by one that its place in the examples gives."""

    def __init__(self, known: Mapping[str, str]) -> None:
        """Replace `known` texts too."""
        self._known = {**_HOSTS, **known}

    def learn(self, answer: Mapping[str, Any]) -> None:
        """Remember the secrets of an answer."""
        if isinstance(secret := answer.get("secret"), str):
            prefix = "whsec_" if secret.startswith("whsec_") else ""
            shown = _base64(b"an example and nobody's secret!!")
            self._known[secret] = prefix + (shown if prefix else shown.rstrip("="))
        upload = answer.get("upload")
        if isinstance(upload, dict):
            self._known[upload["url"]] = "https://uploads.platen.example/"
            for name, value in upload["fields"].items():
                if name in _SIGNED_FIELDS:
                    self._known[value] = _SIGNED_FIELDS[name]

    def of(self, value: Any) -> Any:
        """Return a value of JSON with stable texts."""
        text = json.dumps(_measured(value), ensure_ascii=False)
        for known, shown in self._known.items():
            text = text.replace(known, shown)
        numbers: dict[str, int] = {}
        counts: Counter[str] = Counter()

        def stable_id(match: re.Match[str]) -> str:
            if match[0] not in numbers:
                counts[match[1]] += 1
                numbers[match[0]] = counts[match[1]]
            return match[1] + _digits(f"{match[1]}{numbers[match[0]]}")

        def stable_digest(match: re.Match[str]) -> str:
            # Digests that end alike: those of their own do not compress.
            digest = bytes(1) + _DIGEST_END
            return f"v1,{_base64(digest)}" if match[1] else digest.hex()

        text = _KEY_ID.sub(_SHOWN_KEY_ID, _ID.sub(stable_id, text))
        return json.loads(_DIGEST.sub(stable_digest, text))


def _measured(value: Any) -> Any:
    """Return a value with fixed numbers for what is measured, and its members in one order."""
    if isinstance(value, list):
        return [_measured(each) for each in value]
    if not isinstance(value, dict):
        return value
    shown = {}
    for name, each in value.items():
        is_number = isinstance(each, int) and not isinstance(each, bool)
        shown[name] = _MEASURED[name] if is_number and name in _MEASURED else _measured(each)
        if name in _UNORDERED:
            shown[name] = _sorted(shown[name])
    return shown


def _sorted(value: Any) -> Any:
    if isinstance(value, list):
        return [_sorted(each) for each in value]
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _digits(text: str) -> str:
    return "".join(_DIGITS[byte & 31] for byte in hashlib.sha256(text.encode()).digest()[:16])
