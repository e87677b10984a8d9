"""Attack case: what a tenant sends, and the servers around it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import Template
from typing import Any

from tests.builders.pages.web_site import SitePage
from tests.fakes.dns_server import DnsAnswers

PUBLIC = "93.184.216.34"
SITE = "https://public.test"


@dataclass(frozen=True)
class Case:
    """One attack; its texts may have placeholders that `Attack` fills in, such as `$url`.

    `alone`: its document is not shared with other cases. `pages` are answers of the public site,
    `names` answers of the name server.
    """

    kind: str
    name: str
    html: str = ""
    alone: bool = False
    url: str | None = None
    data_url: str | None = None
    output: Mapping[str, Any] = field(default_factory=dict)
    pages: Mapping[str, SitePage] = field(default_factory=dict)
    names: Mapping[str, DnsAnswers] = field(default_factory=dict)

    @property
    def shared(self) -> bool:
        """Return whether its document can be shared with other cases."""
        return not (self.alone or self.url or self.data_url or self.output)


@dataclass(frozen=True)
class Attack:
    """A case with its own IP address, so that a hit there is known to be its own."""

    number: int
    case: Case
    port: int
    file: str

    @property
    def title(self) -> str:
        return f"{self.case.kind}: {self.case.name}"

    @property
    def slug(self) -> str:
        return f"case-{self.number:03}"

    @property
    def ip(self) -> str:
        return address_of(self.number)

    def filled[Value](self, value: Value) -> Value:
        """Return texts with the placeholders of this attack filled in."""
        filled: Any = value
        if isinstance(value, str):
            filled = Template(value).safe_substitute(self._placeholders())
        elif isinstance(value, Mapping):
            filled = {self.filled(key): self.filled(each) for key, each in value.items()}
        elif isinstance(value, list | tuple):
            filled = [self.filled(each) for each in value]
        elif isinstance(value, SitePage):
            filled = SitePage(
                self.filled(value.body),
                value.content_type,
                value.status,
                self.filled(value.headers),
            )
        result: Value = filled
        return result

    def _placeholders(self) -> dict[str, str]:
        ip, port = self.ip, str(self.port)
        a, b, c, d = map(int, ip.split("."))
        return {
            "url": f"http://{ip}:{port}/{self.slug}",
            "tls": f"https://{ip}:{port}/{self.slug}",
            "host": f"{ip}:{port}",
            "ip": ip,
            "port": port,
            "file": self.file,
            "slug": self.slug,
            "name": f"{self.slug}.trap.test",
            "site": f"{SITE}/{self.slug}",
            "octal": f"0{a:o}.0{b:o}.0{c:o}.0{d:o}",
            "hex": f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}",
            "dword": str(a << 24 | b << 16 | c << 8 | d),
            "dwordhex": f"0x{a:02x}{b:02x}{c:02x}{d:02x}",
            "short": f"{a}.{b << 16 | c << 8 | d}",
            "six": f"{a:02x}{b:02x}:{c:02x}{d:02x}",
            "wide": ip.translate(_WIDE),
            "circled": ip.translate(_CIRCLED),
            "stops": ip.replace(".", "\u3002"),
            "percents": "".join(f"%{ord(char):02x}" for char in ip),
            "dashes": ip.replace(".", "-"),
        }


_WIDE = {ord("0") + digit: 0xFF10 + digit for digit in range(10)}
_CIRCLED = {ord("0"): 0x24EA, **{ord("0") + digit: 0x245F + digit for digit in range(1, 10)}}


def address_of(number: int) -> str:
    """Return a loopback IP address that nothing else listens at."""
    return f"127.77.{number // 250}.{number % 250 + 1}"
