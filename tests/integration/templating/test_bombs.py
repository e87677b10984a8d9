"""Bombs: every one ends with its code and soon, and the next render in the same worker is right."""

import resource
import time
from collections.abc import Iterator
from typing import Any, Final

import psutil
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.worker import TemplateWorker

pytestmark = pytest.mark.integration

SYNTAX: Final = "template_syntax_error"
RUNTIME: Final = "template_runtime_error"
FUEL: Final = "template_fuel_exhausted"

# The processor time of a run and its children's start; the wall clock belongs to others as well.
CPU_S: Final = 6.0
WALL_S: Final = 30.0


def tpl(letter: str) -> str:
    """Return a template's id."""
    return "tpl_01" + letter * 24


def _loop(times: int, body: str) -> str:
    return f"{{% for i in range({times}) %}}{body}{{% endfor %}}"


def _grow(start: str, step: str, times: int = 99) -> str:
    """Return a loop that replaces a value by a larger one made of it."""
    grown = _loop(times, f"{{% set ns.v = {step} %}}")
    return f"{{% set ns = namespace(v={start}) %}}{grown}{{{{ ns.v|length }}}}"


STEPS: Final = {
    "loops in loops": (_loop(9999, _loop(9999, "")), FUEL),
    "loops in loops in loops": (_loop(900, _loop(900, _loop(900, "x"))), FUEL),
    "a loop over text": ("{% for c in 'x' * 9999999 %}{% endfor %}", FUEL),
    "a loop over a list twice as long each time": (_grow("[0]", "ns.v + ns.v"), FUEL),
    "a loop with a condition": ("{% for i in range(5000001) if false %}{% endfor %}", FUEL),
    "a loop that calls itself": (
        "{% for x in [1] recursive %}{{ loop([1, 2]) }}{% endfor %}",
        FUEL,
    ),
    "a macro that calls itself": ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", FUEL),
    "a macro that calls itself nine times": (
        "{% macro m() %}" + _loop(9, "{{ m() }}") + "{% endmacro %}{{ m() }}",
        FUEL,
    ),
    "macros that call each other": (
        "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}",
        FUEL,
    ),
    "a caller that calls": (
        (
            "{% macro n() %}{% call m() %}{{ n() }}{% endcall %}{% endmacro %}"
            "{% macro m() %}{{ caller() }}{% endmacro %}{{ n() }}"
        ),
        FUEL,
    ),
    "a block that prints itself": ("{% block b %}{{ self.b() }}{% endblock %}", FUEL),
    "a block printed by loops": (
        "{% block b %}" + _loop(99999, "x") + "{% endblock %}" + _loop(99999, "{{ self.b() }}"),
        FUEL,
    ),
    "comparisons in a loop": (
        _loop(900000, "{% if i < 1 and i > 2 or not i %}{% endif %}" * 2),
        FUEL,
    ),
    "a sum of sums": (_loop(99999, "{% set x = range(1000)|sum %}"), FUEL),
    "filters in a chain over a range": (
        "{{ range(4999999)|map('string')|map('upper')|map('lower')|list|length }}",
        FUEL,
    ),
    "reversing": (_loop(999, "{% set x = range(99999)|reverse|list %}"), FUEL),
    "a slice of everything": ("{{ range(4999999)|slice(3)|list|length }}", FUEL),
    "batches of one": ("{{ range(5000000)|batch(1)|list|length }}", FUEL),
    "lorem ipsum": ("{{ lipsum(n=99999) }}", FUEL),
    "lorem ipsum of long paragraphs": ("{{ lipsum(n=1, min=1, max=9999999) }}", FUEL),
    "dice": (_loop(9999, "{% set x = range(999999)|list|random %}"), FUEL),
    "a range too long": ("{{ range(10**12)|length }}", FUEL),
    "a range of huge numbers": ("{{ range(10**4000, 10**4001)|first }}", FUEL),
}  # fmt: skip

SIZE: Final = {
    "a repetition": ("{{ 'a' * 10**9 }}", FUEL),
    "a repetition of a list": ("{{ ([0] * 10**9)|length }}", FUEL),
    "a repetition the other way round": ("{{ 10**9 * 'a' }}", FUEL),
    "a repetition of a tuple": ("{{ ((1, 2) * 10**9)|length }}", FUEL),
    "text twice as long each time": (_grow("'ab'", "ns.v ~ ns.v"), FUEL),
    "text added to itself": (_grow("'ab'", "ns.v + ns.v"), FUEL),
    "text replaced by itself": (_grow("'aa'", "ns.v|replace('a', ns.v)"), FUEL),
    "text replaced by its method": (_grow("'aa'", "ns.v.replace('a', ns.v)"), FUEL),
    "text joined with itself": (_grow("'aa'", "ns.v.join(ns.v)"), FUEL),
    "a list joined with text": (_grow("'aa'", "ns.v|join(ns.v)"), FUEL),
    "text in a list in text": (_grow("'a'", "[ns.v, ns.v]|string"), FUEL),
    "JSON in JSON": (_grow("'\"'", "[ns.v, ns.v]|tojson|string"), FUEL),
    "a list of lists": (_grow("[0]", "[ns.v, ns.v]", 40) + "{{ ns.v }}", FUEL),
    "indented": ("{{ 'x\n'|indent(10**9, true) }}", FUEL),
    "centred": ("{{ 'x'|center(10**9) }}", FUEL),
    "justified": ("{{ 'x'.ljust(10**9) }}", FUEL),
    "justified to the right": ("{{ 'x'.rjust(10**10) }}", FUEL),
    "filled with noughts": ("{{ '7'.zfill(10**9) }}", FUEL),
    "batches filled up": ("{{ [1]|batch(10**8, 'x')|list }}", FUEL),
    "output": (_loop(4000, "x" * 9999), FUEL),
    "output of data": (_loop(4000, "{{ text }}"), FUEL),
    "output of few characters of many bytes": (_loop(4000, "\U0001f600" * 2500), FUEL),
    "a block of output that is set": (
        "{% set x %}" + _loop(4000, "x" * 9999) + "{% endset %}{{ x }}",
        FUEL,
    ),
    "a macro's output": (
        "{% macro m() %}" + _loop(4000, "x" * 9999) + "{% endmacro %}{{ m() }}",
        FUEL,
    ),
}  # fmt: skip

NUMBERS: Final = {
    "a tower of powers": ("{{ 9**(9**9) }}", FUEL),
    "a power": ("{{ 2**100000 }}", FUEL),
    "a power of a negative number": ("{{ (-7)**99999999 }}", FUEL),
    "squared again and again": (_grow("7", "ns.v * ns.v"), FUEL),
    "a factorial": (
        "{% set ns = namespace(v=1) %}" + _loop(99999, "{% set ns.v = ns.v * (i + 1) %}"),
        FUEL,
    ),
    "the digits of a large number": ("{{ 2**30000 }}", RUNTIME),
    "a number read from text": ("{{ ('9' * 99999)|int + 'x' }}", RUNTIME),
    "a literal of many digits": ("{{ " + "9" * 99999 + " }}", SYNTAX),
    "a float too large": ("{{ 10.0 ** 400 }}", RUNTIME),
    "infinity as a range": ("{{ range((1e308 * 10)|int) }}", RUNTIME),
    "a division by nothing": ("{{ 1 % 0 }}", RUNTIME),
    "a number rounded to a thousand million digits": ("{{ 1.5|round(10**9) + 'x' }}", RUNTIME),
}

FORMATS: Final = {
    "a width": ("{{ '%2000000000d'|format(1) }}", FUEL),
    "a precision": ("{{ '%.2000000000f' % 1.5 }}", FUEL),
    "a width from a value": ("{{ '%*d' % (2000000000, 1) }}", FUEL),
    "a precision from a value": ("{{ '%.*f' % (2000000000, 1.0) }}", FUEL),
    "a width by name": ("{{ '%(a)1999999999s' % {'a': 1} }}", FUEL),
    "a width in braces": ("{{ '{:>2000000000}'.format('x') }}", FUEL),
    "a width in braces in braces": ("{{ '{:{}}'.format('x', 2000000000) }}", FUEL),
    "a precision in braces": ("{{ '{:.2000000000f}'.format(1.0) }}", FUEL),
    "a width of safe markup": ("{{ ('{:>2000000000}'|safe).format('x') }}", FUEL),
    "braces in braces in braces": ("{{ '{:{:{:{}}}}'.format(1, 2, 3, 4) }}", RUNTIME),
    "a format that looks at attributes": ("{{ '{0.__class__.__init__}'.format(1).x() }}", RUNTIME),
    "a format stored in a filter": (
        "{{ (['{0.__class__}']|map('attr', 'format')|first)(1).x() }}",
        RUNTIME,
    ),
    "a format by mapping": ("{{ '{a.__class__}'.format_map({'a': 1}) }}", RUNTIME),
    "many arguments": ("{{ ('%s' * 9999) % ((text,) * 9999) }}", FUEL),
}  # fmt: skip

WALKS: Final = {
    "the class of text": ("{{ ''.__class__.__mro__[1].__subclasses__() }}", RUNTIME),
    "the class by filter": ("{{ (''|attr('__class__')).__mro__() }}", RUNTIME),
    "the class by index": ("{{ ''['__class__']['__mro__'][1]() }}", RUNTIME),
    "the class by mapping": ("{{ ([1]|map(attribute='__class__')|list)[0].mro() }}", RUNTIME),
    "the class by grouping": (
        "{% for g in [1]|groupby('__class__') %}{{ g.grouper.mro() }}{% endfor %}",
        RUNTIME,
    ),
    "the class by sorting": ("{{ ([1]|sort(attribute='__class__.mro'))[0]() }}", RUNTIME),
    "globals of a function": ("{{ lipsum.__globals__['os'].popen('id').read() }}", RUNTIME),
    "globals of a class": ("{{ cycler.__init__.__globals__.os.system('id') }}", RUNTIME),
    "builtins": ("{{ self.__init__.__globals__.__builtins__.__import__('os') }}", RUNTIME),
    "the frame of a generator": ("{{ ([1]|map('string')).gi_frame.f_back.f_globals() }}", RUNTIME),
    "the environment": (
        "{{ self._TemplateReference__context.environment.from_string('x')() }}",
        RUNTIME,
    ),
    "a macro's function": (
        "{% macro m() %}{% endmacro %}{{ m._func.__code__.replace() }}",
        RUNTIME,
    ),
    "an error's traceback": ("{{ nothing._fail_with_undefined_error() }}", RUNTIME),
    "a namespace's attributes": ("{{ namespace(a=1)._Namespace__attrs.clear() }}", RUNTIME),
    "writing into data": ("{{ rows.append(1) }}", RUNTIME),
    "emptying data": ("{{ rows[0].clear() }}", RUNTIME),
    "an import": ("{% import 'os' as os %}{{ os.environ }}", RUNTIME),
    "an include of a file": ("{% include '/etc/passwd' %}", RUNTIME),
    "an include of a file by its way up": ("{% include '../../../etc/passwd' %}", RUNTIME),
    "a base that is a file": ("{% extends '/proc/self/environ' %}", RUNTIME),
    "attributes of XML": ("{{ {'a b onclick=x ': 1}|xmlattr }}", RUNTIME),
}  # fmt: skip

NESTING: Final = {
    "parentheses": ("{{ " + "(" * 100000 + " }}", SYNTAX),
    "closed parentheses": ("{{ " + "(" * 50000 + "1" + ")" * 50000 + " }}", SYNTAX),
    "lists": ("{{ " + "[" * 100000 + "]" * 100000 + " }}", SYNTAX),
    "mappings": ("{{ " + "{1:" * 50000 + "1" + "}" * 50000 + " }}", SYNTAX),
    "tags": ("{% if 1 %}" * 30000, SYNTAX),
    "loops": ("{% for i in [1] %}" * 200 + "{% endfor %}" * 200, SYNTAX),
    "operands": ("{{ " + "1 + " * 100000 + "1 }}", SYNTAX),
    "negations": ("{{ " + "not " * 100000 + "1 }}", SYNTAX),
    "signs": ("{{ " + "-" * 100000 + "1 }}", SYNTAX),
    "attributes": ("{{ a" + ".b" * 100000 + " }}", SYNTAX),
    "indices": ("{{ a" + "[0]" * 100000 + " }}", SYNTAX),
    "calls": ("{{ a" + "()" * 100000 + " }}", SYNTAX),
    "filters": ("{{ a" + "|upper" * 50000 + " }}", SYNTAX),
    "conditions": ("{{ " + "1 if 1 else " * 50000 + "1 }}", SYNTAX),
    "an open string": ("{{ '" + "\\'" * 500000, SYNTAX),
    "an open comment": ("{#" * 300000, SYNTAX),
    "open tags": ("{%" * 300000, SYNTAX),
    "open raw blocks": ("{% raw %}" * 100000, SYNTAX),
    "white space in a tag": ("{%" + " " * 900000 + "- %}", SYNTAX),
}

FILTERS: Final = {
    "a QR code of a book": ("{{ ('x' * 999999)|qrcode }}", FUEL),
    "a QR code as wide as the sea": ("{{ 'a'|qrcode(10**12) }}", RUNTIME),
    "a bar code of a book": ("{{ ('1' * 999999)|barcode }}", FUEL),
    "money without end": ("{{ (10**4000)|money('EUR') }}", RUNTIME),
    "a number of a long text": ("{{ ('9' * 9999999)|number }}", RUNTIME),
    "a number with an exponent": ("{{ '1e999999999'|number }}", RUNTIME),
    "decimals without end": ("{{ 1|number(10**9) }}", RUNTIME),
    "a date's long pattern": ("{{ '2026-01-01'|date('y' * 9999999) }}", RUNTIME),
    "a locale that is a file": ("{{ 1|number(2, '../../etc/passwd') }}", RUNTIME),
    "a zone that is a file": (
        "{{ '2026-01-01T00:00:00Z'|datetime('long', '../../etc/passwd') }}",
        RUNTIME,
    ),
    "quotes in quotes": ("{{ ('> ' * 99999)|markdown }}{{ 1 / 0 }}", RUNTIME),
    "brackets in brackets": ("{{ ('![' * 9999)|markdown }}{{ 1 / 0 }}", RUNTIME),
}

# Texts that make patterns in filters look again and again.
PATTERNS: Final = {
    "addresses": (_loop(200, "{{ ('http://' * 99999)|urlize }}"), FUEL),
    "tags": (_loop(999, "{{ ('<' * 999999)|striptags }}"), FUEL),
    "open comments": (_loop(999, "{{ ('<!--' * 99999)|striptags }}"), FUEL),
    "numbers in text": (_loop(9, "{{ ('1' * 9999999)|int }}") + "{{ 1/0 }}", RUNTIME),
    "numbers in a format": ("{{ ('%' ~ '0' * 999999 ~ '9999999999d') % 1 }}", FUEL),
    "splitting": (_loop(99, "{{ ('a,' * 999999).split(',')|length }}"), FUEL),
    "finding": (_loop(9999, "{{ ('a' * 999999).find('b') }}") + "{{ 1/0 }}", FUEL),
}  # fmt: skip

DOUBLING: Final = Includes(
    {
        tpl(a): f"{{% include '{tpl(b)}' %}}" * 9 if b else "x"
        for a, b in zip("ABCDEFGH", [*"BCDEFGH", ""], strict=True)
    }
)
INCLUDES: Final = {
    "nine of nine of nine": (f"{{% include '{tpl('A')}' %}}", FUEL, DOUBLING),
    "itself": (
        f"{{% include '{tpl('A')}' %}}",
        RUNTIME,
        Includes({tpl("A"): f"{{% include '{tpl('A')}' %}}"}),
    ),
    "itself without its context": (
        f"{{% include '{tpl('A')}' %}}",
        RUNTIME,
        Includes({tpl("A"): f"{{% include '{tpl('A')}' without context %}}"}),
    ),
    "each other from macros": (
        f"{{% include '{tpl('A')}' %}}",
        RUNTIME,
        Includes(
            {
                tpl(a): f"{{% macro m() %}}{{% include '{tpl(b)}' %}}{{% endmacro %}}{{{{ m() }}}}"
                for a, b in ("AB", "BA")
            }
        ),
    ),
    "in loops": (
        _loop(9999, _loop(9999, f"{{% include '{tpl('H')}' %}}")),
        FUEL,
        DOUBLING,
    ),
    "a large one in a loop": (
        _loop(99999, f"{{% include '{tpl('A')}' %}}"),
        FUEL,
        Includes({tpl("A"): "x" * 100_000}),
    ),
    "one nested too deep to compile": (
        f"{{% include '{tpl('A')}' %}}",
        SYNTAX,
        Includes({tpl("A"): "{{ " + "(" * 100_000}),
    ),
    "a bomb": (
        f"{{% include '{tpl('A')}' %}}",
        FUEL,
        Includes({tpl("A"): "{{ 'x' * 10**9 }}"}),
    ),
    "of what is not there in a loop": (
        _loop(9999999, f"{{% include '{tpl('N')}' ignore missing %}}"),
        FUEL,
        Includes({}, {tpl("N"): "There is none."}),
    ),
}

# One single long call into C, or many short ones that cost little fuel: only these few run until
# the processor time ends.
SLOW: Final = {
    "rows compared": (
        "{{ (['a' * 9999999] * 4000000).count('a' * 9999998 ~ 'b') }}",
        FUEL,
    ),
    "text sought in text": (
        _loop(9999, "{% if ('a' * 999999 ~ 'b') in text * 999 %}{% endif %}"),
        FUEL,
    ),
}

ALL: Final[dict[str, tuple[str, str, Includes]]] = {
    f"{kind}: {name}": (*bomb, Includes()) if len(bomb) == 2 else bomb
    for kind, bombs in (
        ("steps", STEPS),
        ("size", SIZE),
        ("numbers", NUMBERS),
        ("formats", FORMATS),
        ("walks", WALKS),
        ("nesting", NESTING),
        ("filters", FILTERS),
        ("patterns", PATTERNS),
        ("includes", INCLUDES),
        ("slow", SLOW),
    )
    for name, bomb in bombs.items()
}
DATA: Final[dict[str, Any]] = {
    "rows": [{"n": n % 7, "text": "x" * 50} for n in range(1000)],
    "text": "x" * 9999,
}


@pytest.fixture(scope="module")
def worker() -> Iterator[TemplateWorker]:
    worker = TemplateWorker()
    yield worker
    worker.close()


def test_there_are_enough() -> None:
    assert len(ALL) >= 80


@pytest.mark.parametrize(("source", "code", "includes"), ALL.values(), ids=ALL)
def test_a_bomb_ends_with_its_code_and_the_next_render_is_right(
    worker: TemplateWorker, source: str, code: str, includes: Includes
) -> None:
    _render(worker, "warm")
    child = _child(worker)
    begun, before_s = time.monotonic(), sum(child.cpu_times()[:2]) + _ended_s()

    with pytest.raises(RenderFailure) as failure:
        _render(worker, source, includes)

    assert failure.value.code == code, failure.value.detail
    assert time.monotonic() - begun < WALL_S
    replaced = _child(worker).pid != child.pid
    assert replaced == (code == FUEL)
    if replaced:
        assert _ended_s() - before_s < CPU_S
    assert _render(worker, "{{ rows|length }}{{ rows[0].n + 1 }}") == "10001"


def _render(worker: TemplateWorker, source: str, includes: Includes | None = None) -> str:
    deadline = time.time() + WALL_S
    return worker.render(
        source, DATA, strict=False, deadline=deadline, includes=includes or Includes()
    )


def _child(worker: TemplateWorker) -> psutil.Process:
    assert worker._child is not None
    return psutil.Process(worker._child._process.pid)


def _ended_s() -> float:
    """Return the processor time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
