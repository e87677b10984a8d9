"""Attacks by CSS."""

from tests.integration.attacks.case import Case

# Declarations of an element with content.
_DECLARED = {
    "background": "background: url($url)",
    "background in capitals": "BACKGROUND: URL('HTTP://$host/$slug')",
    "escaped address": r"background: url(\68 ttp://$host/$slug)",
    "list-style-image": "display: list-item; list-style-image: url($url)",
    "border-image": "border: 9px solid; border-image: url($url) 9",
    "content": "content: url($url)",
    "cursor": "cursor: url($url), auto",
    "mask-image": "mask-image: url($url)",
    "mask": "-webkit-mask: url($url.svg#x)",
    "filter": "filter: url($url.svg#x)",
    "backdrop-filter": "backdrop-filter: url($url.svg#x)",
    "clip-path": "clip-path: url($url.svg#x)",
    "offset-path": "offset-path: url($url.svg#x)",
    "shape-outside": "float: left; shape-outside: url($url)",
    "reflection": "-webkit-box-reflect: below 0 url($url)",
    "image-set": "background: image-set(url($url) 1x, '$url?2' 2x)",
    "cross-fade": "background: cross-fade(url($url) 50%, url($url?2) 50%)",
    "-webkit-cross-fade": "background: -webkit-cross-fade(url($url), url($url?2), 0.5)",
    "variable": "--x: url($url); background: var(--x)",
}
_SHEETS = {
    "import": "@import url($url.css);",
    "import as a string": "@import '$url.css' layer(x) supports(display: block) print;",
    "import out of a data: address": '@import url("data:text/css,@import url($url.css);");',
    "font": "@font-face {font-family: $slug; src: url($url)} #$slug {font-family: $slug}",
    "font after a local one": "@font-face {font-family: $slug; src: local(Nowhere), url($url) "
    "format('woff2'), url($url?2)} #$slug {font-family: $slug}",
    "before": "#$slug::before {content: url($url)}",
    "first letter": "#$slug::first-letter {background: url($url)}",
    "counter style": "@counter-style $slug {system: cyclic; symbols: url($url)} "
    "#$slug {display: list-item; list-style: $slug}",
    "print only": "@media print {#$slug {background: url($url)}}",
    "page": "@page {background: url($url); @top-left {content: url($url)}}",
    "animation": "@keyframes $slug {from, to {background: url($url)}} "
    "#$slug {animation: $slug 1s infinite}",
    "property": "@property --$slug {syntax: '<image>'; inherits: true; initial-value: url($url)} "
    "#$slug {background: var(--$slug)}",
    "nested": "div {& p#$slug {background: url($url)}} p:has(b) {background: url($url)}",
}
_SCRIPTED = {
    "constructed sheet": "{const s = new CSSStyleSheet(); s.replaceSync('#$slug {background: "
    "url($url)}'); document.adoptedStyleSheets.push(s)}",
    "sheet of a blob": "{const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = "
    "URL.createObjectURL(new Blob(['@import url($url.css);'], {type: 'text/css'}));"
    "document.head.append(l)}",
    "paint worklet": "CSS.paintWorklet?.addModule('$url.js').catch(() => 0)",
}

CASES = (
    *(
        Case("CSS", name, f'<div style="{style}"><b>x</b></div>')
        for name, style in _DECLARED.items()
    ),
    *(
        Case("CSS", name, f"<style>{sheet}</style><div><p id=$slug><b>x</b></p></div>")
        for name, sheet in _SHEETS.items()
    ),
    *(
        Case("CSS", name, f"<p id=$slug>x</p><script>{script}</script>")
        for name, script in _SCRIPTED.items()
    ),
)
