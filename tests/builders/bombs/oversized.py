"""Bombs of too many steps, characters or digits, or of too large widths."""

from typing import Final

from tests.builders.bombs.snippets import FUEL, RUNTIME, SYNTAX, grow, loop

STEPS: Final = {
    "loops in loops": (loop(9999, loop(9999, "")), FUEL),
    "loops in loops in loops": (loop(900, loop(900, loop(900, "x"))), FUEL),
    "a loop over text": ("{% for c in 'x' * 9999999 %}{% endfor %}", FUEL),
    "a loop over a list twice as long each time": (grow("[0]", "ns.v + ns.v"), FUEL),
    "a loop with a condition": ("{% for i in range(5000001) if false %}{% endfor %}", FUEL),
    "a loop that calls itself": (
        "{% for x in [1] recursive %}{{ loop([1, 2]) }}{% endfor %}",
        FUEL,
    ),
    "a macro that calls itself": ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", FUEL),
    "a macro that calls itself nine times": (
        "{% macro m() %}" + loop(9, "{{ m() }}") + "{% endmacro %}{{ m() }}",
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
        "{% block b %}" + loop(99999, "x") + "{% endblock %}" + loop(99999, "{{ self.b() }}"),
        FUEL,
    ),
    "comparisons in a loop": (
        loop(900000, "{% if i < 1 and i > 2 or not i %}{% endif %}" * 2),
        FUEL,
    ),
    "a sum of sums": (loop(99999, "{% set x = range(1000)|sum %}"), FUEL),
    "filters in a chain over a range": (
        "{{ range(4999999)|map('string')|map('upper')|map('lower')|list|length }}",
        FUEL,
    ),
    "reversing": (loop(999, "{% set x = range(99999)|reverse|list %}"), FUEL),
    "a slice of everything": ("{{ range(4999999)|slice(3)|list|length }}", FUEL),
    "batches of one": ("{{ range(5000000)|batch(1)|list|length }}", FUEL),
    "lorem ipsum": ("{{ lipsum(n=99999) }}", FUEL),
    "lorem ipsum of long paragraphs": ("{{ lipsum(n=1, min=1, max=9999999) }}", FUEL),
    "dice": (loop(9999, "{% set x = range(999999)|list|random %}"), FUEL),
    "a range too long": ("{{ range(10**12)|length }}", FUEL),
    "a range of huge numbers": ("{{ range(10**4000, 10**4001)|first }}", FUEL),
    "a macro that is given itself": ("{% macro m(f) %}{{ f(f) }}{% endmacro %}{{ m(m) }}", FUEL),
    "a macro whose argument calls it": ("{% macro m(a=m()) %}{% endmacro %}{{ m() }}", FUEL),
    "a macro in a block that is set": (
        "{% macro m() %}{% set x %}{{ m() }}{% endset %}{{ x }}{% endmacro %}{{ m() }}",
        FUEL,
    ),
    "a sum of a range": ("{{ range(4999999)|map('abs')|sum }}", FUEL),
}  # fmt: skip

SIZE: Final = {
    "a repetition": ("{{ 'a' * 10**9 }}", FUEL),
    "a repetition of a list": ("{{ ([0] * 10**9)|length }}", FUEL),
    "a repetition the other way round": ("{{ 10**9 * 'a' }}", FUEL),
    "a repetition of a tuple": ("{{ ((1, 2) * 10**9)|length }}", FUEL),
    "text twice as long each time": (grow("'ab'", "ns.v ~ ns.v"), FUEL),
    "text added to itself": (grow("'ab'", "ns.v + ns.v"), FUEL),
    "text replaced by itself": (grow("'aa'", "ns.v|replace('a', ns.v)"), FUEL),
    "text replaced by its method": (grow("'aa'", "ns.v.replace('a', ns.v)"), FUEL),
    "text joined with itself": (grow("'aa'", "ns.v.join(ns.v)"), FUEL),
    "a list joined with text": (grow("'aa'", "ns.v|join(ns.v)"), FUEL),
    "text in a list in text": (grow("'a'", "[ns.v, ns.v]|string"), FUEL),
    "JSON in JSON": (grow("'\"'", "[ns.v, ns.v]|tojson|string"), FUEL),
    "a list of lists": (grow("[0]", "[ns.v, ns.v]", 22, "{{ ns.v|string }}"), FUEL),
    "indented": ("{{ 'x\n'|indent(10**9, true) }}", FUEL),
    "centred": ("{{ 'x'|center(10**9) }}", FUEL),
    "justified": ("{{ 'x'.ljust(10**9) }}", FUEL),
    "justified to the right": ("{{ 'x'.rjust(10**10) }}", FUEL),
    "filled with noughts": ("{{ '7'.zfill(10**9) }}", FUEL),
    "batches filled up": ("{{ [1]|batch(10**8, 'x')|list }}", FUEL),
    "output": (loop(4000, "x" * 9999), FUEL),
    "output of data": (loop(4000, "{{ text }}"), FUEL),
    "output of few characters of many bytes": (loop(4000, "\U0001f600" * 2500), FUEL),
    "a block of output that is set": (
        "{% set x %}" + loop(4000, "x" * 9999) + "{% endset %}{{ x }}",
        FUEL,
    ),
    "a macro's output": (
        "{% macro m() %}" + loop(4000, "x" * 9999) + "{% endmacro %}{{ m() }}",
        FUEL,
    ),
    "lists in lists": (grow("[0]", "[ns.v]", 50000, "{{ ns.v }}"), FUEL),
    "lists in lists as JSON": (grow("[0]", "[ns.v]", 50000, "{{ ns.v|tojson }}"), FUEL),
    "tuples in tuples as a key": (grow("(0,)", "(ns.v,)", 300000, "{{ {ns.v: 1} }}"), FUEL),
    "wrapped with text": ("{{ ('a ' * 99999)|wordwrap(1, true, text)|length }}", FUEL),
    "JSON indented": ("{{ rows|tojson(indent=10**8) }}", FUEL),
    "nothing replaced by text": ("{{ (text * 99).replace('', text) }}", FUEL),
    "letters that grow": (grow("'\u0390' * 999", "(ns.v|upper).replace('\u0301', ns.v)"), FUEL),
    "slices that are kept": (grow("['']", "ns.v + [(text * 999)[i:]]"), FUEL),
}  # fmt: skip

NUMBERS: Final = {
    "a tower of powers": ("{{ 9**(9**9) }}", FUEL),
    "a power": ("{{ 2**100000 }}", FUEL),
    "a power of a negative number": ("{{ (-7)**99999999 }}", FUEL),
    "squared again and again": (grow("7", "ns.v * ns.v"), FUEL),
    "a factorial": (
        "{% set ns = namespace(v=1) %}" + loop(99999, "{% set ns.v = ns.v * (i + 1) %}"),
        FUEL,
    ),
    "the digits of a large number": ("{{ 2**30000 }}", RUNTIME),
    "a number read from text": ("{{ ('9' * 99999)|int + 'x' }}", RUNTIME),
    "a literal of many digits": ("{{ " + "9" * 99999 + " }}", SYNTAX),
    "a float too large": ("{{ 10.0 ** 400 }}", RUNTIME),
    "infinity as a range": ("{{ range((1e308 * 10)|int) }}", RUNTIME),
    "a division by nothing": ("{{ 1 % 0 }}", RUNTIME),
    "a number rounded to a thousand million digits": ("{{ 1.5|round(10**9) + 'x' }}", RUNTIME),
    "a number rounded up to as many": ("{{ 2**4000 // 3|round(10**5, 'ceil') }}", RUNTIME),
    "a number without end rounded": ("{{ 1.5|round(-(10**5), 'floor') }}", RUNTIME),
    "a number read from sixteens": ("{{ ('f' * 9999999)|int(0, 16) }}", RUNTIME),
    "a size without end": ("{{ (10**4000)|filesizeformat }}", RUNTIME),
    "an imaginary number": ("{{ (-8) ** 0.5 }}", RUNTIME),
    "a width of many noughts": ("{{ 'x'.zfill(10**30) }}", RUNTIME),
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
    "many widths": ("{{ ('%19999999d' * 60) % ((1,) * 60) }}", FUEL),
    "many widths in braces": ("{{ ('{0!r:>19999999}' * 60).format('x') }}", FUEL),
    "a width in Arabic digits": (
        "{{ '{:>\u0662\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660}'.format('x') }}",
        FUEL,
    ),
}  # fmt: skip
