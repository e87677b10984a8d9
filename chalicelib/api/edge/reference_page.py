"""Reference page of the API, built from the OpenAPI document as one self-contained page."""

import json
from collections.abc import Iterable, Mapping
from html import escape
from typing import Final

from chalicelib.api.edge.endpoint import Reply
from chalicelib.api.edge.html_page import html_page, inline_markup
from chalicelib.api.edge.openapi.objects import (
    Document,
    MediaType,
    Operation,
    Parameter,
    Response,
    Schema,
)
from chalicelib.core.problems import PROBLEMS

_MAX_DEPTH: Final = 6
_CONSTRAINTS: Final = (
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("minItems", "at least {} entries"),
    ("maxItems", "at most {} entries"),
    ("maxProperties", "at most {} properties"),
)

# Method and path, or "event" and the type of a webhook; and the operation object.
type _OperationRow = tuple[str, str, Operation]
type _Schemas = Mapping[str, Schema]


def reference_page(document: Document) -> Reply:
    """Return the reference page of an OpenAPI document."""
    schemas = document["components"]["schemas"]
    operations = _by_tag(document)
    api_host = document["servers"][0]["url"]
    body = (
        f'<div class="all"><nav><a class="brand" href="#top">Platen</a>{_navigation(operations)}'
        '<a href="#errors">Error codes</a><a href="/v1/openapi.json">openapi.json</a></nav>'
        f'<main id="top"><h1>Platen API</h1><p class="dim">Version '
        f"{escape(document['info']['version'])} · <code>{escape(api_host)}"
        f"</code></p>{_prose(document['info']['description'])}"
        f"{''.join(_tag_section(tag, rows, document, schemas) for tag, rows in operations.items())}"
        f"{_error_table()}</main></div>"
    )
    return html_page("Platen API reference", body, api_host=api_host, style=_STYLE)


def _by_tag(document: Document) -> dict[str, list[_OperationRow]]:
    rows = [
        (method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    rows += [("event", name, methods["post"]) for name, methods in document["webhooks"].items()]
    tags: dict[str, list[_OperationRow]] = {}
    for row in rows:
        tag = (row[2].get("tags") or ["Other"])[0]
        tags.setdefault(tag, []).append(row)
    return tags


def _navigation(operations: Mapping[str, Iterable[_OperationRow]]) -> str:
    parts = []
    for tag, rows in operations.items():
        parts.append(f"<h4>{escape(tag)}</h4>")
        parts += [
            f'<a href="#{_anchor(operation)}"><b class="m {method}">{method.upper()}</b>'
            f"<span>{escape(operation['summary'])}</span></a>"
            for method, _, operation in rows
        ]
    return "".join(parts)


def _tag_section(
    tag: str,
    rows: Iterable[_OperationRow],
    document: Document,
    schemas: _Schemas,
) -> str:
    return f"<h2>{escape(tag)}</h2>" + "".join(_operation(row, document, schemas) for row in rows)


def _operation(row: _OperationRow, document: Document, schemas: _Schemas) -> str:
    method, path, operation = row
    parts = [
        f'<article id="{_anchor(operation)}"><h3>{escape(operation["summary"])}</h3>',
        f'<p class="route"><b class="m {method}">{method.upper()}</b> ',
        f"<code>{escape(path)}</code></p>{_prose(operation.get('description', ''))}",
    ]
    parameters = [_resolved_parameter(entry, document) for entry in operation.get("parameters", ())]
    if parameters:
        rows = "".join(
            _field(
                entry["name"],
                entry["schema"] | {"description": entry.get("description", "")},
                schemas,
                required=entry.get("required", False),
                note=entry["in"],
            )
            for entry in parameters
        )
        parts.append(f"<h4>Parameters</h4><ul>{rows}</ul>")
    for kind, media in operation.get("requestBody", {}).get("content", {}).items():
        parts.append(f"<h4>Body <code>{escape(kind)}</code></h4>{_schema(media, schemas)}")
        parts.append(_example(media))
    parts.append("<h4>Answers</h4>")
    parts += [
        _response(code, _resolved_response(answer, document), schemas)
        for code, answer in operation["responses"].items()
    ]
    return "".join(parts) + "</article>"


def _response(status: str, answer: Response, schemas: _Schemas) -> str:
    first, _, rest = answer["description"].partition("\n")
    is_success = status[0] in "23"
    kinds = answer.get("content", {})
    inner = _prose(rest)
    if is_success:
        inner += "".join(
            f"<h4><code>{escape(kind)}</code></h4>{_schema(media, schemas)}"
            for kind, media in kinds.items()
        )
    shade = "good" if is_success else "bad"
    return (
        f'<details class="{shade}"><summary><b>{escape(status)}</b> {escape(first)}</summary>'
        f"{inner}</details>"
    )


def _schema(media: MediaType, schemas: _Schemas) -> str:
    fields = _fields(media["schema"], schemas, _MAX_DEPTH)
    return fields or f'<p class="dim">{_type(media["schema"], schemas)}</p>'


def _example(media: MediaType) -> str:
    if "example" not in media:
        return ""
    text = json.dumps(media["example"], indent=2, ensure_ascii=False)
    return f"<details><summary>Example</summary><pre>{escape(text)}</pre></details>"


def _fields(schema: Schema, schemas: _Schemas, depth: int) -> str:
    schema = _resolved_schema(schema, schemas)
    required = schema.get("required", ())
    rows = [
        _field(name, field, schemas, required=name in required, depth=depth - 1)
        for name, field in schema.get("properties", {}).items()
    ]
    return f"<ul>{''.join(rows)}</ul>" if rows else ""


def _field(
    name: str,
    field: Schema,
    schemas: _Schemas,
    *,
    required: bool,
    note: str = "",
    depth: int = 0,
) -> str:
    marks = [_type(field, schemas)]
    marks += [note] if note else []
    marks += ["<em>required</em>"] if required else []
    if field.get("default") not in (None, {}, []) and not isinstance(field["default"], dict):
        marks.append(f"default <code>{escape(json.dumps(field['default']))}</code>")
    marks += _constraints(field, schemas)
    nested = "".join(
        _fields(branch, schemas, depth) for branch in _branches(field, schemas) if depth > 0
    )
    line = f"<code>{escape(name)}</code> <small>{' · '.join(marks)}</small>"
    description = _prose(field.get("description", ""))
    if nested:
        return f"<li><details><summary>{line}</summary>{description}{nested}</details></li>"
    return f"<li>{line}{description}</li>"


def _branches(field: Schema, schemas: _Schemas) -> list[Schema]:
    branches = field.get("oneOf") or [field]
    return [_resolved_schema(branch.get("items", branch), schemas) for branch in branches]


def _type(field: Schema, schemas: _Schemas) -> str:
    if "const" in field:
        return f"<code>{escape(json.dumps(field['const']))}</code>"
    if "enum" in field:
        return " | ".join(f"<code>{escape(str(value))}</code>" for value in field["enum"])
    branches = field.get("oneOf")
    if branches:
        return " or ".join(dict.fromkeys(_type(branch, schemas) for branch in branches))
    if "$ref" in field:
        return _type(_resolved_schema(field, schemas), schemas)
    kinds = field.get("type", "any value")
    names = [kinds] if isinstance(kinds, str) else kinds
    return " or ".join(_type_name(name, field, schemas) for name in names)


def _type_name(name: str, field: Schema, schemas: _Schemas) -> str:
    if name == "array":
        return f"array of {_type(field.get('items', {}), schemas)}"
    return escape(field.get("format", name) if name == "string" else name)


def _constraints(field: Schema, schemas: _Schemas) -> list[str]:
    branches: list[Mapping[str, object]]
    branches = [{**_resolved_schema(branch, schemas)} for branch in field.get("oneOf", [field])]
    texts = [
        words.format(f"{branch[name]:,}".replace(",", "\u202f"))
        for branch in branches
        for name, words in _CONSTRAINTS
        if name in branch
    ]
    return list(dict.fromkeys(texts))


def _resolved_schema(schema: Schema, schemas: _Schemas) -> Schema:
    name = schema.get("$ref", "").rpartition("/")[2]
    return schemas[name] if name else schema


def _resolved_parameter(entry: Parameter, document: Document) -> Parameter:
    if "$ref" in entry:
        return document["components"]["parameters"][entry["$ref"].rpartition("/")[2]]
    return entry


def _resolved_response(answer: Response, document: Document) -> Response:
    if "$ref" in answer:
        return document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    return answer


def _anchor(operation: Operation) -> str:
    return escape(operation["operationId"])


def _prose(text: str) -> str:
    blocks = [block for block in text.strip().split("\n\n") if block.strip()]
    return "".join(_block(block) for block in blocks)


def _block(block: str) -> str:
    if block.lstrip().startswith("- "):
        entries = (line.strip().removeprefix("- ") for line in block.strip().splitlines())
        return "<ul>" + "".join(f"<li>{inline_markup(entry)}</li>" for entry in entries) + "</ul>"
    return f"<p>{inline_markup(block)}</p>"


def _error_table() -> str:
    rows = "".join(
        f"<tr><td>{problem.status or 'none'}</td>"
        f'<td><a href="/errors/{code}"><code>{code}</code></a></td>'
        f"<td>{escape(problem.title)}</td><td>{'yes' if problem.retryable else ''}</td></tr>"
        for code, problem in sorted(
            PROBLEMS.items(), key=lambda row: (row[1].status or 999, row[0])
        )
    )
    head = "<tr><th>Status</th><th>Code</th><th>Title</th><th>Try again</th></tr>"
    return f'<h2 id="errors">Error codes</h2><table><thead>{head}</thead>{rows}</table>'


_STYLE: Final = """
.all{display:grid;grid-template-columns:17rem minmax(0,1fr);min-height:100vh}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.6rem 1.2rem;background:var(--soft);
border-right:1px solid var(--line);font-size:.875rem}
nav a{display:flex;gap:.6rem;align-items:baseline;padding:.22rem .5rem;border-radius:6px;
color:var(--ink)}
nav a:hover{background:var(--line);text-decoration:none}
nav .brand{font-weight:700;font-size:1.15rem;margin-bottom:.8rem}
nav h4{margin:1.1rem .5rem .3rem;color:var(--dim);font-size:.75rem;letter-spacing:.06em;
text-transform:uppercase}
main{padding:3rem clamp(1.5rem,5vw,4.5rem) 6rem;max-width:66rem}
article{border:1px solid var(--line);border-radius:10px;padding:1.2rem 1.5rem 1.4rem;
margin:0 0 1.5rem}
article h3{margin:0;font-size:1.1rem}article h4{margin:1.2rem 0 .3rem;font-size:.875rem;
color:var(--dim)}
.route{margin:.35rem 0 .7rem}.route code{font-size:.95rem}
pre{overflow:auto;margin:.4rem 0 0;padding:.8rem 1rem;border-radius:6px;background:var(--soft);
font-size:.8rem}
.m{font:700 .68rem/1 ui-monospace,Menlo,Consolas,monospace;letter-spacing:.03em;color:var(--get)}
nav .m{min-width:2.9rem}.m.post,.m.event{color:var(--post)}.m.put,.m.patch{color:var(--put)}
.m.delete{color:var(--delete)}.route .m{border:1px solid;border-radius:5px;padding:.18rem .45rem;
margin-right:.3rem}
ul{list-style:none;margin:0;padding:0}li{border-top:1px solid var(--line);padding:.4rem 0}
li:first-child{border-top:0}
li p{margin:.1rem 0 0;color:var(--dim);font-size:.9rem}small{color:var(--dim);font-size:.8rem}
small code{font-size:.75rem}em{color:var(--delete);font-style:normal}
details>ul,details>p{margin-left:1.1rem;padding-left:.9rem;border-left:2px solid var(--line)}
summary{cursor:pointer}article>details{border-top:1px solid var(--line);padding:.4rem 0}
article>details>summary b{display:inline-block;min-width:2.4rem}.good>summary b{color:var(--get)}
.bad>summary b{color:var(--delete)}table{border-collapse:collapse;width:100%;font-size:.9rem}
th{text-align:left;color:var(--dim);font-weight:600}td,th{padding:.35rem .8rem .35rem 0;
border-bottom:1px solid var(--line)}
@media(max-width:52rem){.all{grid-template-columns:minmax(0,1fr)}nav{position:static;height:auto}}
"""
