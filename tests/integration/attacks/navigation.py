"""Attacks by redirects, navigations, hints and reports."""

from tests.builders.pages.web_site import SitePage
from tests.integration.attacks.case import Case

_STATUSES = (301, 302, 303, 307, 308)
_SITE_PAGE = "<!doctype html><title>x</title><p>still here"


def _to(location: str = "$url", status: int = 302) -> SitePage:
    return SitePage("redirected", status=status, headers={"Location": location})


def _redirect(name: str, html: str, *chain: SitePage) -> Case:
    """Return a case whose asset at the public site redirects through the given chain."""
    paths = ["/$slug", *(f"/$slug/{step}" for step in range(1, len(chain)))]
    return Case("Redirects", name, html, pages=dict(zip(paths, chain, strict=True)))


_REDIRECTS = (
    *(_redirect(f"img, {status}", "<img src='$site'>", _to(status=status)) for status in _STATUSES),
    _redirect("iframe", "<iframe src='$site'></iframe>", _to()),
    _redirect("stylesheet", "<link rel=stylesheet href='$site'>", _to("$url.css")),
    _redirect("script", "<script src='$site'></script>", _to("$url.js")),
    _redirect("fetch", "<script>fetch('$site', {mode: 'no-cors'}).catch(() => 0)</script>", _to()),
    _redirect(
        "beacon, 307", "<script>navigator.sendBeacon('$site', 'x')</script>", _to(status=307)
    ),
    _redirect("event source", "<script>new EventSource('$site')</script>", _to()),
    _redirect(
        "worker's import",
        "<script>new Worker(URL.createObjectURL(new Blob([\"importScripts('$site')\"])))</script>",
        _to("$url.js"),
    ),
    _redirect("without a scheme", "<img src='$site'>", _to("//$host/$slug")),
    _redirect("scheme in capitals", "<img src='$site'>", _to("HTTP://$host/$slug")),
    _redirect("behind a user's name", "<img src='$site'>", _to("http://public.test@$host/$slug")),
    _redirect("to a name", "<img src='$site'>", _to("http://$name/$slug")),
    _redirect("to hexadecimal", "<img src='$site'>", _to("http://$hex:$port/$slug")),
    _redirect("to a file", "<iframe src='$site'></iframe>", _to("file://$file")),
    _redirect(
        "to data: that asks", "<iframe src='$site'></iframe>", _to("data:text/html,<img src=$url>")
    ),
    _redirect(
        "three steps",
        "<img src='$site'>",
        _to("$site/1", 301),
        _to("/$slug/2", 307),
        _to("$url", 308),
    ),
    _redirect(
        "page of a frame",
        "<iframe src='$site'></iframe>",
        SitePage("<meta http-equiv=refresh content='0;url=$url'>"),
    ),
    _redirect(
        "script of a frame",
        "<iframe src='$site'></iframe>",
        SitePage("<script>location.replace('$url')</script>"),
    ),
    _redirect(
        "header of a frame",
        "<iframe src='$site'></iframe>",
        SitePage("x", headers={"Refresh": "0; url=$url"}),
    ),
)
_LEAVING = {
    "meta refresh": "<meta http-equiv=refresh content='0;url=$url'>",
    "location": "<script>location = '$url'</script>",
    "location.replace": "<script>location.replace('$url')</script>",
    "navigation": "<script>navigation.navigate('$url').finished.catch(() => 0)</script>",
    "form": "<form id=f action='$url' method=post></form><script>f.submit()</script>",
    "form in a new window": "<form id=f action='$url' target=_blank><button id=b formaction='$url'>"
    "</form><script>b.click()</script>",
    "link": "<a id=a href='$url'>x</a><script>a.click()</script>",
    "download": "<a id=a download href='$url'>x</a><script>a.click()</script>",
    "window": "<script>open('$url')</script>",
    "window without an opener": "<script>open('$url', 'x', 'noopener,popup')</script>",
    "window led away": "<script>{const w = open('about:blank'); if (w) w.location = '$url'}"
    "</script>",
    "javascript: address": "<script>location = 'javascript:fetch(\"$url\")'</script>",
    "blob that asks": "<script>location = URL.createObjectURL(new Blob([\"<img src='$url'>\"], "
    "{type: 'text/html'}))</script>",
}
_HINTS = {
    "prefetch": "<link rel=prefetch href='$url'>",
    "preload": "<link rel=preload as=image href='$url'><link rel=preload as=fetch href='$url?2'>",
    "preload of a font": "<link rel=preload as=font crossorigin href='$url'>",
    "preload of a script": "<link rel=preload as=script href='$url.js'>",
    "preload of pictures": "<link rel=preload as=image imagesrcset='$url 1x'>",
    "module preload": "<link rel=modulepreload href='$url.js'>",
    "preconnect": "<link rel=preconnect href='http://$host'>",
    "preconnect by CORS": "<link rel=preconnect crossorigin href='https://$host'>",
    "DNS prefetch": "<meta http-equiv=x-dns-prefetch-control content=on>"
    "<link rel=dns-prefetch href='//$name'><a href='http://$name/$slug'>x</a>",
    "prerender": "<link rel=prerender href='$url'><link rel=next href='$url'>",
    "dictionary": "<link rel=compression-dictionary href='$url'>",
    "rules to prefetch": '<script type=speculationrules>{"prefetch": [{"urls": ["$url"], '
    '"eagerness": "immediate"}]}</script>',
    "rules to prerender": '<script type=speculationrules>{"prerender": [{"urls": ["$url"], '
    '"eagerness": "immediate"}]}</script>',
    "rules for a frame": '<iframe srcdoc=\'<script type=speculationrules>{"prefetch": [{"urls": '
    '["$url"], "eagerness": "immediate"}]}</script>\'></iframe>',
}
_REPORTS_TO = 'x="$tls"'
_GROUP = '{"group": "x", "max_age": 999, "endpoints": [{"url": "$tls"}]}'
_NEL = '{"report_to": "x", "max_age": 999, "success_fraction": 1.0, "failure_fraction": 1.0}'
# Response headers of a page of the public site.
_HEADERS: dict[str, dict[str, str]] = {
    "Refresh": {"Refresh": "0; url=$url"},
    "Link: preload": {"Link": "<$url>; rel=preload; as=image, <$url.css>; rel=stylesheet"},
    "Link: prefetch": {"Link": "<$tls>; rel=prefetch, <$tls>; rel=preconnect"},
    "Speculation-Rules": {"Speculation-Rules": '"$tls.json"'},
    "CSP report-uri": {"Content-Security-Policy": "img-src 'none'; report-uri $tls"},
    "CSP report-to": {
        "Content-Security-Policy": "img-src 'none'; report-to x",
        "Reporting-Endpoints": _REPORTS_TO,
    },
    "NEL": {"NEL": _NEL, "Report-To": _GROUP},
    "Document-Policy": {
        "Document-Policy-Report-Only": "document-write=?0;report-to=x",
        "Reporting-Endpoints": _REPORTS_TO,
    },
    "Alt-Svc": {"Alt-Svc": 'h3="$host"; ma=999, h2="$host"; ma=999'},
    "SourceMap": {"SourceMap": "$url"},
}
_INPUTS: dict[str, SitePage] = {
    **{f"redirect, {status}": _to(status=status) for status in _STATUSES},
    "meta refresh": SitePage("<meta http-equiv=refresh content='0;url=$url'>"),
    "script": SitePage("<script>location = '$url'</script>"),
    "frame": SitePage(f"{_SITE_PAGE}<iframe src='$url'></iframe>"),
    "img": SitePage(f"{_SITE_PAGE}<img src='$url'>"),
    "service worker": SitePage(
        f"{_SITE_PAGE}<script>navigator.serviceWorker.register('/$slug.js').then((r) => r.update(),"
        " () => 0)</script>"
    ),
}
_WORKER = SitePage("fetch('$tls', {mode: 'no-cors'})", "text/javascript")

CASES = (
    *_REDIRECTS,
    *(Case("Navigation", name, html, alone=True) for name, html in _LEAVING.items()),
    # Its page never stops loading.
    Case(
        "Navigation",
        "frame leads its page",
        "<iframe srcdoc=\"<script>top.location = '$url'</script>\"></iframe>",
        output={"wait": {"timeout_ms": 2000}},
    ),
    *(Case("Hints", name, html) for name, html in _HINTS.items()),
    *(
        Case(
            "Headers",
            name,
            url="$site",
            pages={"/$slug": SitePage(f"{_SITE_PAGE}<img src=/no><a>", headers=headers)},
        )
        for name, headers in _HEADERS.items()
    ),
    *(
        Case("url", name, url="$site", pages={"/$slug": page, "/$slug.js": _WORKER})
        for name, page in _INPUTS.items()
    ),
)
