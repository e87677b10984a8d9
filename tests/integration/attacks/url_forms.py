"""Attacks by forms of a URL: encodings, networks, names, schemes and ports."""

from tests.builders.pages.web_site import SitePage
from tests.fakes.dns_server import DnsAnswers
from tests.integration.attacks.case import PUBLIC, Case

# All of them are the canary's IP address, or this machine's.
_WRITTEN = {
    "octal": "http://$octal:$port/$slug",
    "hexadecimal": "http://$hex:$port/$slug",
    "one number": "http://$dword:$port/$slug",
    "one hexadecimal number": "http://$dwordhex:$port/$slug",
    "short": "http://$short:$port/$slug",
    "full-width digits": "http://$wide:$port/$slug",
    "digits in circles": "http://$circled:$port/$slug",
    "ideographic full stops": "http://$stops:$port/$slug",
    "percents": "http://$percents:$port/$slug",
    "full stop at the end": "http://$ip.:$port/$slug",
    "IPv4 in IPv6": "http://[::ffff:$ip]:$port/$slug",
    "IPv4 in IPv6, hexadecimal": "http://[::ffff:$six]:$port/$slug",
    "IPv4 in IPv6, in full": "http://[0:0:0:0:0:FFFF:$six]:$port/$slug",
    "loopback of IPv6": "http://[::1]:$port/$slug",
    "loopback of IPv6, in full": "http://[0:0:0:0:0:0:0:1]:$port/$slug",
    "localhost": "http://localhost:$port/$slug",
    "LOCALHOST.": "http://LOCALHOST.:$port/$slug",
    "below localhost": "http://a.localhost:$port/$slug",
    "nothing": "http://0:$port/$slug",
    "nothing, four times": "http://0.0.0.0:$port/$slug",
    "unspecified of IPv6": "http://[::]:$port/$slug",
    "a user's name": "http://public.test@$host/$slug",
    "a user's name and password": "http://public.test:443@$host/$slug",
    "backslashes": r"http:\\\\$host\\$slug",
    "one slash": "http:/$host/$slug",
    "three slashes": "http:///$host/$slug",
    "backslash before the at": r"http://$host\\@public.test/$slug",
    "fragment before the host": "http://$host#@public.test/$slug",
    "spaces around": " \t http://$host/$slug ",
    "line breaks inside": "ht\ntp://$host\n/$slug",
    "soft hyphen": "http://$ip\u00ad:$port/$slug",
}
# The fake internet leads all of them to the canary.
NETWORKS = (
    "169.254.169.254",
    "169.254.170.2",
    "169.254.169.123",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "168.63.129.16",
    "100.64.0.1",
    "10.0.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "198.18.0.1",
    "192.0.2.1",
    "224.0.0.1",
    "255.255.255.255",
    "[fc00::1]",
    "[fe80::1]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::a9fe:a9fe]",
    "[2002:a9fe:a9fe::1]",
    "[2001:0:a9fe:a9fe::1]",
    "[::169.254.169.254]",
    "[::ffff:169.254.169.254]",
)
_NAMES: dict[str, dict[str, DnsAnswers]] = {
    "private": {"$name": [["A $ip"]]},
    "public and private": {"$name": [[f"A {PUBLIC}", "A $ip"]]},
    "private and public": {"$name": [["A $ip", f"A {PUBLIC}"]]},
    "public, and private by IPv6": {"$name": [[f"A {PUBLIC}", "AAAA ::1"]]},
    "loopback of IPv6": {"$name": [["AAAA ::1"]]},
    "IPv4 in IPv6": {"$name": [["AAAA ::ffff:$ip"]]},
    "NAT64": {"$name": [["AAAA 64:ff9b::$six"]]},
    "6to4": {"$name": [["AAAA 2002:$six::1"]]},
    "unspecified": {"$name": [["A 0.0.0.0"]]},
    "metadata": {"$name": [["A 169.254.169.254"]]},
    "private network": {"$name": [["A 10.1.2.3"]]},
    "another name": {"$name": [["CNAME in-$name."]], "in-$name": [["A $ip"]]},
    "chain of names": {
        "$name": [["CNAME b-$name."]],
        "b-$name": [["CNAME c-$name."]],
        "c-$name": [["CNAME d-$name."]],
        "d-$name": [["A $ip"]],
    },
}
_WITH_NAMES = {
    "address inside": ("http://$dashes.nip.test/$slug", {"$dashes.nip.test": [["A $ip"]]}),
    "in capitals": ("http://$slug.TRAP.TEST/$slug", {"$name": [["A $ip"]]}),
    "full stop at the end": ("http://$name./$slug", {"$name": [["A $ip"]]}),
    "the service's own": ("http://own.test/$slug", {}),
    "the service's own, otherwise": ("http://Own.Test./$slug", {}),
    "TLS": ("https://$name/$slug", {"$name": [["A $ip"]]}),
    "metadata's": ("http://metadata.test/$slug", {}),
}
_REBOUND: dict[str, DnsAnswers] = {"$name": [[f"A {PUBLIC}"], ["A $ip"]]}
_LOOK_AGAIN = (
    "<script>fetch('http://$name/$slug', {mode: 'no-cors'}).finally(() => setInterval(() => fetch("
    "'http://$name/$slug?' + Math.random(), {mode: 'no-cors'}).catch(() => 0), 50))</script>"
)
_SCHEMES = {
    "file": "file://$file",
    "FILE": "FILE://$file",
    "file without slashes": "file:$file",
    "file of a host": "file://localhost$file",
    "source of a file": "view-source:file://$file",
    "source": "view-source:$url",
    "Source": "View-Source:$url",
    "file system": "filesystem:$url/temporary/x",
    "blob": "blob:$url/00000000-0000-0000-0000-000000000000",
    "chrome": "chrome://net-export/?$url",
    "devtools": "devtools://devtools/bundled/inspector.html?ws=$host/$slug",
    "extension": "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html?$url",
    "ftp": "ftp://$host/$slug",
    "gopher": "gopher://$host/$slug",
    "ws": "ws://$host/$slug",
    "intent": "intent://$host/$slug#Intent;scheme=http;end",
    "data in data": "data:text/html,<iframe src='data:text/html,<img src=$url>'></iframe>",
    "javascript": "javascript:'<img src=$url>'",
    "about": "about:srcdoc?$url",
    "jar": "jar:$url!/x",
    "feed": "feed:$url",
    "unknown": "x-platen://$host/$slug",
}
_INPUT_SCHEMES = ("file", "FILE", "source", "source of a file", "chrome", "ftp", "data in data")
_PORTS = (22, 25, 2375, 5432, 6379, 8081, 9200, 11211, 27017)

CASES = (
    *(Case("Encodings", name, f'<img src="{url}">') for name, url in _WRITTEN.items()),
    *(
        Case("Networks", host, f"<img src='http://{host}/$slug'><img src='https://{host}/$slug'>")
        for host in NETWORKS
    ),
    *(
        Case("Names", name, "<img src='http://$name/$slug'>", names=names)
        for name, names in _NAMES.items()
    ),
    *(
        Case("Names", name, f"<img src='{url}'>", names=names)
        for name, (url, names) in _WITH_NAMES.items()
    ),
    Case("Names", "rebound", _LOOK_AGAIN, pages={"/$slug": SitePage("x")}, names=_REBOUND),
    Case(
        "Names",
        "rebound page",
        url="http://$name/$slug",
        names=_REBOUND,
        pages={"/$slug": SitePage(f"<p>still here{_LOOK_AGAIN}")},
    ),
    *(Case("Schemes", name, f'<iframe src="{url}"></iframe>') for name, url in _SCHEMES.items()),
    *(Case("url", f"scheme {name}", url=_SCHEMES[name]) for name in _INPUT_SCHEMES),
    Case("url", "literal", url="$url"),
    Case("url", "name", url="http://$name/$slug", names={"$name": [["A $ip"]]}),
    Case("url", "octal", url="http://$octal:$port/$slug"),
    Case("url", "user's name", url="http://public.test@$host/$slug"),
    Case("url", "metadata", url="http://169.254.169.254/$slug"),
    *(Case("Ports", str(port), f"<img src='http://public.test:{port}/$slug'>") for port in _PORTS),
)
