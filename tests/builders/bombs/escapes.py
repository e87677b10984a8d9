"""Bombs that escape from the language, nest deeply, or overload filters and patterns."""

from typing import Final

from tests.builders.bombs.snippets import FUEL, RUNTIME, SYNTAX, loop

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
    "what a loop walks": (
        "{% for i in [1] %}{{ loop._iterator.gi_frame.f_globals() }}{% endfor %}",
        RUNTIME,
    ),
    "what a loop recurses with": ("{% for i in [1] %}{{ (loop|attr('_recurse'))() }}{% endfor %}",
        RUNTIME),
    "what a cycler is": ("{{ cycler(1)['__class__'].__init__.__globals__() }}", RUNTIME),
    "what a joiner is": ("{{ (joiner()|attr('__init__')).__globals__.os() }}", RUNTIME),
    "what lorem ipsum calls": ("{{ ([lipsum]|map(attribute='_function')|first)() }}", RUNTIME),
    "who calls": (
        "{% macro m() %}{{ caller._environment.x() }}{% endmacro %}{% call m() %}{% endcall %}",
        RUNTIME,
    ),
    "what a namespace is told to be": (
        "{% set ns = namespace() %}{% set ns.__class__ = 'x' %}{{ ns.__class__() }}",
        RUNTIME,
    ),
    "classes below": ("{{ dict.__subclasses__() }}", RUNTIME),
    "a test by its attribute": ("{{ [1]|select('__class__')|list }}", RUNTIME),
}  # fmt: skip

NESTING: Final = {
    "parentheses": ("{{ " + "(" * 100000 + " }}", SYNTAX),
    "closed parentheses": ("{{ " + "(" * 50000 + "1" + ")" * 50000 + " }}", SYNTAX),
    "lists": ("{{ " + "[" * 100000 + "]" * 100000 + " }}", SYNTAX),
    "mappings": ("{{ " + "{1:" * 50000 + "1" + "}" * 50000 + " }}", SYNTAX),
    "tags": ("{% if 1 %}" * 30000, SYNTAX),
    "loops": ("{% for i in [1] %}" * 200 + "{% endfor %}" * 200, SYNTAX),
    "operands": ("{{ " + "1 + " * 30000 + "1 }}", SYNTAX),
    "negations": ("{{ " + "not " * 100000 + "1 }}", SYNTAX),
    "signs": ("{{ " + "-" * 100000 + "1 }}", SYNTAX),
    "attributes": ("{{ a" + ".b" * 30000 + " }}", SYNTAX),
    "indices": ("{{ a" + "[0]" * 30000 + " }}", SYNTAX),
    "calls": ("{{ a" + "()" * 30000 + " }}", SYNTAX),
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
    "half a pair of characters": ("{{ '\ud800'|urlencode }}", RUNTIME),
    "half a pair in a QR code": ("{{ '\ud800'|qrcode }}", RUNTIME),
    "a table of nothing": (
        "{{ ('|' * 4999 ~ '\n' ~ '|-' * 4999 ~ '|\n' ~ '|\n' * 4999)|markdown }}{{ 1 / 0 }}",
        RUNTIME,
    ),
    "lists in lists in prose": ("{{ ('- ' * 9999)|markdown }}{{ 1 / 0 }}", RUNTIME),
    "a sum of lists": ("{{ ([[0] * 5000] * 10000)|sum(start=[])|length }}", FUEL),
    "bar codes": (loop(99999, "{{ ('x' * 70 ~ i)|barcode }}"), FUEL),
}

# Texts that make the regular expressions of filters backtrack.
PATTERNS: Final = {
    "addresses": (loop(200, "{{ ('http://' * 99999)|urlize }}"), FUEL),
    "tags": (loop(999, "{{ ('<' * 999999)|striptags }}"), FUEL),
    "open comments": (loop(999, "{{ ('<!--' * 99999)|striptags }}"), FUEL),
    "numbers in text": (loop(9, "{{ ('1' * 9999999)|int }}") + "{{ 1/0 }}", RUNTIME),
    "numbers in a format": ("{{ ('%' ~ '0' * 999999 ~ '9999999999d') % 1 }}", FUEL),
    "splitting": (loop(99, "{{ ('a,' * 999999).split(',')|length }}"), FUEL),
    "finding": (loop(9999, "{{ ('a' * 999999).find('b') }}") + "{{ 1/0 }}", FUEL),
    "ends of addresses": ("{{ (')' * 99999 ~ 'x')|urlize }}{{ 1/0 }}", RUNTIME),
    "addresses of mail": ("{{ ('a@a.' * 99999 ~ '!')|urlize }}{{ 1/0 }}", RUNTIME),
    "words of hyphens": ("{{ ('-' * 99999 ~ 'x')|wordwrap(3) }}{{ 1/0 }}", RUNTIME),
}  # fmt: skip

# Long calls into C, or many short ones that cost little fuel. These alone run until the limit of
# processor time.
SLOW: Final = {
    "rows compared": (
        "{{ (['a' * 9999999] * 4000000).count('a' * 9999998 ~ 'b') }}",
        FUEL,
    ),
    "text sought in text": (
        loop(9999, "{% if ('a' * 999999 ~ 'b') in text * 999 %}{% endif %}"),
        FUEL,
    ),
}
