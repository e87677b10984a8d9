"""The HTML format: the document after its scripts, without active content."""

import re
from typing import Any

import pytest

from tests.builders.pages.real_browser import Render


def html_of(render: Render, html: str, *, test: bool = False, **output: Any) -> str:
    (produced,) = render(html, test=test, format="html", **output).files

    assert produced.content_type == "text/html; charset=utf-8"
    return produced.content.decode()


def body_of(html: str) -> str:
    found = re.search(r"<body[^>]*>(.*)</body></html>$", html, re.DOTALL)
    assert found, html
    return found[1]


def test_html_is_the_document_after_its_scripts(render: Render) -> None:
    html = """<!doctype html><html lang="de"><head><title>Before</title></head><body>
<p id="a">waits</p><script>setTimeout(() => {
  a.outerHTML = '<ul id=b><li onclick="x()">Größe</li></ul>'; document.title = 'After';
}, 50)</script></body></html>"""

    made = html_of(render, html, wait={"selector": "#b"})

    assert made.startswith('<!DOCTYPE html>\n<html lang="de"><head><meta charset="utf-8">')
    assert "<title>After</title>" in made
    assert '<ul id="b"><li>Größe</li></ul>' in made
    assert "script" not in made


@pytest.mark.parametrize(
    ("html", "left"),
    [
        ("<a href='javascript:x()'>a</a>", "<a>a</a>"),
        ("<a href=' java\nscript:x()'>a</a>", "<a>a</a>"),
        ("<form action='javascript:x'><button formaction='javascript:x'>b</button></form>", None),
        ("<img onload=x onerror=x alt=p>", '<img alt="p">'),
        ("<svg onload=x><script>x</script><a xlink:href='javascript:x'></a></svg>", None),
        ("<svg><a><animate attributeName='href' to='javascript:x'></animate></a></svg>", None),
        ("<iframe srcdoc='<script>x</script>'></iframe><object></object><embed>", ""),
        ("<template><script>x</script><b onclick=x>t</b></template>", None),
        ("<svg></p><style><a id='</style><img src=data:, onerror=x>'>", None),
        (
            "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;<img onerror=x>'>",
            None,
        ),
        ("<noscript><p title='</noscript><img src=data:, onerror=x>'></noscript>", None),
        ("<form name=documentElement><input name=querySelectorAll onclick=x></form>", None),
        ("<p>kept<!-- c --></p>", "<p>kept<!-- c --></p>"),
        ("<svg><use href='#a' onclick=x></use></svg>", '<svg><use href="#a"></use></svg>'),
        ("<svg><use href='data:image/svg+xml,x'></use></svg>", "<svg></svg>"),
    ],
)
def test_html_has_no_active_content(render: Render, html: str, left: str | None) -> None:
    made = body_of(html_of(render, html))

    assert left is None or made == left
    # Attribute values are text, except javascript: URLs.
    tags = re.sub(r'="(?!javascript:)[^"]*"', "", made)
    runs = r"<script|<iframe|<object|<embed|<[^>]*\s(on\w+|(href|action)=.javascript:)"
    assert not re.search(runs, tags, re.IGNORECASE), made


@pytest.mark.parametrize("javascript", [True, False])
def test_html_leads_to_no_other_page(render: Render, *, javascript: bool) -> None:
    refresh = "<meta http-equiv={} content='300;url=https://example.com/'>"
    head = refresh.format("refresh") + f"<noscript>{refresh.format('REFRESH')}</noscript>"
    html = f"<meta name=author content=Ada>{head}<p>x<div>{refresh.format('Refresh')}</div>"

    made = html_of(render, html, javascript=javascript)

    assert '<meta name="author" content="Ada">' in made
    assert "example.com" not in made


def test_noscript_is_removed_when_scripts_ran_and_kept_otherwise(
    render: Render,
) -> None:
    html = "<p>x</p><noscript><b>none</b></noscript>"

    assert body_of(html_of(render, html)) == "<p>x</p>"
    assert body_of(html_of(render, html, javascript=False)) == "<p>x</p><b>none</b>"


def test_shadow_roots_and_inserted_style_rules_are_serialized(render: Render) -> None:
    html = """<div id=host>light</div><style id=s></style><script>
host.attachShadow({mode: 'open'}).innerHTML = '<i onclick=x>dark</i><slot></slot>';
s.sheet.insertRule('p { color: red }');</script>"""

    made = body_of(html_of(render, html))

    assert '<template shadowrootmode="open"><i>dark</i><slot></slot></template>light' in made
    assert "p { color: red; }" in made


def test_internal_origin_is_not_in_the_html(render: Render) -> None:
    html = """<a id=a href='x?y'>a</a><p id=p></p><p id=q></p><script>
a.href = a.href; p.textContent = location.href; q.textContent = encodeURIComponent(location.host);
document.title = location.host</script>"""

    made = html_of(render, html)

    assert ".invalid" not in made
    assert '<a id="a" href="/x?y">' in made
    assert made == html_of(render, html)


def test_base_is_kept_and_charset_is_utf8(render: Render) -> None:
    html = "<head><meta charset=latin1><base href='https://cdn.example/x/'></head><img src='a.png'>"

    made = html_of(render, html)

    assert '<head><meta charset="utf-8"><base href="https://cdn.example/x/"></head>' in made
    assert "latin1" not in made


@pytest.mark.parametrize("after", ["", "</body><!--</body><!-- --></html>", "<!--</frameset>-->"])
def test_test_document_shows_the_test_mark(render: Render, after: str) -> None:
    html = f"<p>x</p>{after}"
    made = html_of(render, html, test=True)
    (picture,) = render(made, format="png").files

    assert made.count("<svg ") == 1
    assert html_of(render, html) in made
    assert picture.content != render("<p>x</p>", format="png").files[0].content
