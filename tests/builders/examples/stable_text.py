"""Texts of examples that are the same in each run: ids, secrets and signatures in place of random ones."""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

# A prefix, the time of an id, and its random part.
_ID: Final = re.compile(r"\b([a-z]{2,5}_[0-7][0-9A-HJKMNP-TV-Z]{9})([0-9A-HJKMNP-TV-Z]{16})\b")
_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_SIGNATURE: Final = re.compile(r"\b(sig=|v1,)([0-9a-f]{64}|[A-Za-z0-9+/]{43}=)")
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
            shown = base64.b64encode(b"an example and nobody's secret!!").decode()
            self._known[secret] = prefix + (shown if prefix else shown.rstrip("="))
        upload = answer.get("upload")
        if isinstance(upload, dict):
            self._known[upload["url"].split("?")[0]] = "https://uploads.platen.example/"
            for name, value in upload["fields"].items():
                if name in {"policy", "signature", "x-amz-signature", "x-amz-security-token"}:
                    self._known[value] = base64.b64encode(name.encode()).decode()

    def of(self, value: Any) -> Any:
        """Return a value of JSON with stable texts."""
        text = json.dumps(value)
        for known, shown in self._known.items():
            text = text.replace(known, shown)
        counts: Counter[str] = Counter()
        seen: dict[str, str] = {}

        def stable_id(match: re.Match[str]) -> str:
            if match[0] not in seen:
                counts[match[1]] += 1
                seen[match[0]] = match[1] + _digits(f"{match[1]}{counts[match[1]]}")
            return seen[match[0]]

        text = _ID.sub(stable_id, text)
        # A signature has the ids of its address in it.
        return json.loads(_SIGNATURE.sub(_stable_signature(seen, counts), text))


def _stable_signature(seen: dict[str, str], counts: Counter[str]) -> Any:
    def stable(match: re.Match[str]) -> str:
        if match[0] not in seen:
            counts[match[1]] += 1
            digest = hashlib.sha256(f"{match[1]}{counts[match[1]]}".encode())
            is_hex = match[1] == "sig="
            text = digest.hexdigest() if is_hex else base64.b64encode(digest.digest()).decode()
            seen[match[0]] = match[1] + text
        return seen[match[0]]

    return stable


def _digits(text: str) -> str:
    return "".join(_DIGITS[byte & 31] for byte in hashlib.sha256(text.encode()).digest()[:16])
