"""Attacks by HTML, SVG and XML."""

from tests.integration.attacks.case import Case

_HTML = {
    "img": "<img src='$url'>",
    "img, scheme in capitals": "<img src='HTTP://$host/$slug'>",
    "img without a scheme": "<img src='//$host/$slug'>",
    "lazy img": "<img loading=lazy src='$url'>",
    "img with TLS": "<img src='$tls'>",
    "srcset": "<img srcset='$url 1x, $url?2 2x'>",
    "picture": "<picture><source srcset='$url'><img></picture>",
    "input": "<input type=image src='$url'>",
    "iframe": "<iframe src='$url'></iframe>",
    "srcdoc": "<iframe srcdoc=\"<img src='$url'>\"></iframe>",
    "srcdoc in srcdoc": "<iframe srcdoc='<iframe srcdoc=\"<img src=$url>\"></iframe>'></iframe>",
    "sandboxed iframe": "<iframe sandbox src='$url'></iframe>",
    "sandboxed script": "<iframe sandbox=allow-scripts srcdoc=\"<script src='$url.js'></script>\">"
    "</iframe>",
    "fenced frame": "<fencedframe src='$url'></fencedframe><script>{const f = document."
    "createElement('fencedframe'); document.body.append(f); try {f.config = new FencedFrameConfig("
    "'$url')} catch {}}</script>",
    "object": "<object data='$url'></object>",
    "object of a type": "<object type=text/html data='$url'></object>",
    "embed": "<embed src='$url'>",
    "applet": "<applet code='$url' codebase='$url'></applet>",
    "portal": "<portal src='$url'></portal>",
    "video": "<video src='$url' preload=auto></video>",
    "poster": "<video poster='$url'></video>",
    "audio": "<audio src='$url' preload=auto autoplay></audio>",
    "source": "<video preload=auto><source src='$url' type=video/mp4></video>",
    "track": "<video src='data:video/mp4,'><track default kind=captions src='$url'></video>"
    "<script>document.querySelectorAll('track').forEach((t) => t.track.mode = 'showing')</script>",
    "table background": "<table background='$url'><tr><td>x</table>",
    "stylesheet": "<link rel=stylesheet href='$url.css'>",
    "stylesheet for print": "<link rel=stylesheet media=print href='$url.css'>",
    "icon": "<link rel=icon href='$url'><link rel=apple-touch-icon href='$url'>",
    "manifest": "<link rel=manifest href='$url.json'>",
    "script": "<script src='$url.js'></script>",
    "deferred script": "<script async defer src='$url.js'></script>",
    "module": "<script type=module src='$url.js'></script>",
    "shadow root": "<div><template shadowrootmode=open><img src='$url'></template></div>",
    "MathML": "<math href='$url'><mtext><img src='$url'></mtext></math>",
    "broken markup": "<div title=\"<img src='$url'>\"><!--><img src='$url'--><noscript><p title="
    "\"</noscript><img src='$url'>\">",
    "link of the page": "<a href='$url'>x</a><a href='javascript:fetch(\"$url\")'>y</a>",
    "ping": "<a id=$slug href='#x' ping='$url'>x</a><script>document.getElementById('$slug')."
    "click()</script>",
}
_ALONE = {
    "base": "<base href='$url/'><img src=x>",
    "body background": "<body background='$url'>x",
    "frameset": "<!doctype html><frameset cols=50%,50%><frame src='$url'><frame src='$url?2'>",
    "meta CSP report-uri": "<meta http-equiv=Content-Security-Policy content=\"img-src 'none'; "
    'report-uri $url; report-to $url"><img src=data:,>',
}
_SVG = {
    "image": "<svg><image href='$url' width=9 height=9 /></svg>",
    "xlink": "<svg><image xlink:href='$url' width=9 height=9 /></svg>",
    "use": "<svg><use href='$url.svg#x'/></svg>",
    "feImage": "<svg><filter id=$slug><feImage href='$url'/></filter>"
    "<rect width=9 height=9 filter='url(#$slug)'/></svg>",
    "foreignObject": "<svg><foreignObject width=9 height=9><img src='$url'></foreignObject></svg>",
    "script": "<svg><script href='$url.js'></script></svg>",
    "script by xlink": "<svg><script xlink:href='$url.js'></script></svg>",
    "style": "<svg><style>@import url($url.css);</style></svg>",
    "paint": "<svg><rect width=9 height=9 fill='url($url.svg#x)' stroke='url($url.svg#y)'/></svg>",
    "mask": "<svg><rect width=9 height=9 mask='url($url.svg#x)' "
    "clip-path='url($url.svg#y)'/></svg>",
    "marker": "<svg><path d='M0 0L9 9' marker-start='url($url.svg#x)'/></svg>",
    "set": "<svg><image width=9 height=9><set attributeName=href to='$url'/></image></svg>",
    "textPath": "<svg><text><textPath href='$url.svg#x'>x</textPath></text></svg>",
    "iframe of one": '<iframe src=\'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg">'
    '<image href="$url" width="9" height="9"/></svg>\'></iframe>',
    "img of one": '<img src=\'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg">'
    '<image href="$url" width="9" height="9"/></svg>\'>',
    "object of one": '<object data=\'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg">'
    '<script href="$url.js"/></svg>\'></object>',
}
_XHTML = "xmlns=%22http://www.w3.org/1999/xhtml%22"
_XML = {
    "entity": '<iframe src=\'data:text/xml,<!DOCTYPE x [<!ENTITY e SYSTEM "$url.txt">]><x>%26e;'
    "</x>'></iframe>",
    "parameter entity": '<iframe src=\'data:text/xml,<!DOCTYPE x [<!ENTITY %25 e SYSTEM "$url"> '
    "%25e;]><x/>'></iframe>",
    "external DTD": "<iframe src='data:application/xhtml+xml,<!DOCTYPE x SYSTEM \"$url\"><x/>'>"
    "</iframe>",
    "stylesheet by XSLT": '<iframe src=\'data:text/xml,<?xml-stylesheet type="text/xsl" '
    'href="$url"?><x/>\'></iframe>',
    "stylesheet by CSS": '<iframe src=\'data:text/xml,<?xml-stylesheet type="text/css" '
    'href="$url.css"?><x/>\'></iframe>',
    "XInclude": '<iframe src=\'data:text/xml,<x xmlns:i="http://www.w3.org/2001/XInclude">'
    '<i:include href="$url"/></x>\'></iframe>',
    "XHTML": f"<iframe src='data:application/xhtml+xml,<html {_XHTML}><img src=\"$url\"/></html>'>"
    "</iframe>",
    "DOMParser": "<script>document.importNode(new DOMParser().parseFromString('<!DOCTYPE x [<!ENTI"
    "TY e SYSTEM \"$url\">]><x>&e;</x>', 'text/xml').documentElement, true)</script>",
    "document() of XSLT": "<script>{try {const p = new XSLTProcessor(), d = new DOMParser();"
    "p.importStylesheet(d.parseFromString(`<s:stylesheet version='1.0' xmlns:s='http://www.w3.org/"
    "1999/XSL/Transform'><s:import href='$url'/><s:template match='/'><s:copy-of "
    "select='document(\"$url\")'/></s:template></s:stylesheet>`, 'text/xml'));"
    "p.transformToFragment(d.parseFromString('<x/>', 'text/xml'), document)} catch {}}</script>",
}

CASES = (
    *(Case("HTML", name, html) for name, html in _HTML.items()),
    *(Case("HTML", name, html, alone=True) for name, html in _ALONE.items()),
    *(Case("SVG", name, html) for name, html in _SVG.items()),
    *(Case("XML", name, html) for name, html in _XML.items()),
)
