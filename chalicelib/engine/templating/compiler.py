"""Code generator of templates: charges fuel for loops and operators, and keeps exact positions."""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, cast, override

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.exceptions import TemplateAssertionError

from chalicelib.core.ids import is_id
from chalicelib.engine.templating.number import Number
from chalicelib.engine.templating.operators import REPETITION

if TYPE_CHECKING:
    from chalicelib.engine.templating.environment import TemplateEnvironment

type _FinalizeInfo = CodeGenerator._FinalizeInfo  # noqa: SLF001 -- a parameter of methods below

_ID_MESSAGE: Final = (
    "Only templates of this workspace can be used here, each by its id as a plain string: "
    '{%% %s "tpl_…"%s %%}.'
)
_HIDDEN_ID_MESSAGE: Final = (
    "The template %s is not there: write its id as one plain string in the tag."
)
_TOO_LARGE_MESSAGE: Final = "A number is too large: the largest with a fraction is about 1.8e308."
# Python takes 200 parentheses in each other, and the short form of an attribute has two.
_MAX_SHORT_LINKS: Final = 12
_LINKS: Final = (nodes.Getattr, nodes.Getitem, nodes.Call, nodes.Filter, nodes.Test)


class UnsupportedSyntaxError(TemplateAssertionError):
    """Syntax of Jinja2 that this template language does not have."""


class MeteredCodeGenerator(CodeGenerator):
    """Code generator that wraps operators without a Jinja2 hook in `charge_operation(…)`."""

    _is_in_long_path = False

    @override
    def newline(self, node: nodes.Node | None = None, extra: int = 0) -> None:
        if not isinstance(node, nodes.Expr):
            super().newline(node, extra)
            return
        original_position, node.lineno = node.lineno, _start_position(node)
        super().newline(node, extra)
        node.lineno = original_position

    @override
    def visit_For(self, node: nodes.For, frame: Frame) -> None:
        metered = nodes.EnvironmentAttribute("metered", lineno=node.lineno)
        node.iter = nodes.Call(metered, [node.iter], [], None, None, lineno=node.iter.lineno)
        node.iter.set_environment(self.environment)
        super().visit_For(node, frame)

    @override
    def visit_With(self, node: nodes.With, frame: Frame) -> None:
        self.newline(node)  # Jinja2 would keep the position of the tag before.
        super().visit_With(node, frame)

    @override
    def visit_ScopedEvalContextModifier(
        self, node: nodes.ScopedEvalContextModifier, frame: Frame
    ) -> None:
        self.newline(node)
        super().visit_ScopedEvalContextModifier(node, frame)

    @override
    def visit_Include(self, node: nodes.Include, frame: Frame) -> None:
        self._check_names(node, "include")
        super().visit_Include(node, frame)

    @override
    def visit_Extends(self, node: nodes.Extends, frame: Frame) -> None:
        self._check_names(node, "extends")
        self.newline(node)  # Of the error about a second layout.
        layout = nodes.EnvironmentAttribute("layout", lineno=node.lineno)
        node.template = nodes.Call(layout, [node.template], [], None, None, lineno=node.lineno)
        node.template.set_environment(self.environment)
        super().visit_Extends(node, frame)

    @override
    def visit_Import(self, node: nodes.Import, frame: Frame) -> None:
        self._check_names(node, "import", " as macros")
        super().visit_Import(node, frame)

    @override
    def visit_FromImport(self, node: nodes.FromImport, frame: Frame) -> None:
        self._check_names(node, "from", " import macro")
        super().visit_FromImport(node, frame)

    @override
    def _import_common(self, node: nodes.Import | nodes.FromImport, frame: Frame) -> None:
        # Jinja2's own modules are kept and can be printed; their text is built in any case.
        self.write("import_module(")
        self.visit(node.template, frame)
        if node.with_context:
            self.write(f", context, {self.dump_local_context(frame)}")
        self.write(")")

    @override
    def position(self, node: nodes.Node) -> str:
        return "this line"  # The failure carries the exact position.

    @override
    def signature(
        self,
        node: nodes.Call | nodes.Filter | nodes.Test,
        frame: Frame,
        extra_kwargs: Mapping[str, object] | None = None,
    ) -> None:
        self._check_unique(
            ((each.key, each.lineno) for each in node.kwargs if isinstance(each, nodes.Keyword)),
            "argument",
        )
        super().signature(node, frame, extra_kwargs)

    @override
    def macro_body(
        self, node: nodes.Macro | nodes.CallBlock, frame: Frame
    ) -> tuple[Frame, MacroRef]:
        self._check_unique(((each.name, each.lineno) for each in node.args), "parameter")
        return super().macro_body(node, frame)

    @override
    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:
        if isinstance(node.value, float) and math.isinf(node.value):
            self.fail(_TOO_LARGE_MESSAGE, node.lineno)
        if isinstance(node.value, Number):
            self.write(f"literal('{node.value}')")
        else:
            super().visit_Const(node, frame)

    @override
    def visit_Mul(self, node: nodes.BinExpr, frame: Frame) -> None:
        # A literal of digits is repeated; a text of the data that reads as a number is multiplied.
        is_repetition = _is_text(node.left) or _is_text(node.right)
        self.write(f"environment.call_binop(context, {REPETITION if is_repetition else '*'!r}, ")
        self.visit(node.left, frame)
        self.write(", ")
        self.visit(node.right, frame)
        self.write(")")

    @override
    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:
        self.write("charge_operation(")
        self.visit(node.expr, frame)
        for operand in node.ops:
            self.visit(operand, frame)
        self.write(")")

    @override
    def visit_And(self, node: nodes.BinExpr, frame: Frame) -> None:
        self._write_chain(node, " and ", frame)

    @override
    def visit_Or(self, node: nodes.BinExpr, frame: Frame) -> None:
        self._write_chain(node, " or ", frame)

    @override
    def visit_Not(self, node: nodes.UnaryExpr, frame: Frame) -> None:
        operand: nodes.Expr = node
        self.write("charge_operation(")
        while isinstance(operand, nodes.Not):
            self.write("not ")
            operand = operand.node
        self.visit(operand, frame)
        self.write(")")

    @override
    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        key = repr(node.attr)
        if self._is_in_long_path or _is_long_path(node):
            was_in_long_path, self._is_in_long_path = self._is_in_long_path, True
            self.write("lookup(")
            self.visit(node.node, frame)
            self.write(f", {key})")
            self._is_in_long_path = was_in_long_path
            return
        # Fast path: a key of a dict is read without a call. `lookup` decides about all else.
        self.write(f"(_v[{key}] if type(_v := ")
        self.visit(node.node, frame)
        self.write(f") is dict and {key} in _v else lookup(_v, {key}))")

    @override
    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: _FinalizeInfo) -> None:
        if frame.eval_ctx.volatile:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("html_text(" if frame.eval_ctx.autoescape else "plain_text(")

    @override
    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: _FinalizeInfo) -> None:
        if frame.eval_ctx.volatile:
            super()._output_child_post(node, frame, finalize)
        else:
            self.write(")")

    @override
    def _output_child_to_const(
        self, node: nodes.Expr, frame: Frame, finalize: _FinalizeInfo
    ) -> str:
        # Only literals are evaluated while compiling: other work must be paid with fuel.
        if isinstance(node, nodes.Const) and node.value is None:
            return ""
        if isinstance(node, nodes.TemplateData) or (
            isinstance(node, nodes.Const) and node.value != math.inf
        ):
            return super()._output_child_to_const(node, frame, finalize)
        raise nodes.Impossible

    def _write_chain(self, node: nodes.BinExpr, operator: str, frame: Frame) -> None:
        # Without parentheses for each operand, of which Python takes 200 in each other.
        operands = [node.right]
        left = node.left
        while type(left) is type(node):
            operands.append(left.right)
            left = left.left
        self.write("charge_operation(")
        self.visit(left, frame)
        for operand in reversed(operands):
            self.write(operator)
            self.visit(operand, frame)
        self.write(")")

    def _check_names(
        self,
        node: nodes.Include | nodes.Extends | nodes.Import | nodes.FromImport,
        tag: str,
        rest: str = "",
    ) -> None:
        found_ids = cast("TemplateEnvironment", self.environment).found_ids
        for name in static_template_names(node.template):
            if not is_id("tpl", name):
                message = _ID_MESSAGE % (tag, rest)
            elif name not in found_ids:
                # Who may use a template is decided by the ids that are found without parsing.
                message = _HIDDEN_ID_MESSAGE % name
            else:
                continue
            raise UnsupportedSyntaxError(message, node.lineno, self.name, self.filename)

    def _check_unique(self, names: Iterable[tuple[str, int]], kind: str) -> None:
        seen: set[str] = set()
        for name, position in names:
            if name in seen:
                self.fail(f"The {kind} '{name}' is given twice.", position)
            if name == "__debug__":
                self.fail(f"The {kind} cannot have the name '__debug__'.", position)
            seen.add(name)


def _start_position(node: nodes.Node) -> int:
    return min([node.lineno, *(child.lineno for child in node.find_all(nodes.Expr))])


def static_template_names(node: nodes.Expr | None) -> list[str]:
    """Return the names that an include may load.

    A name that is only known at run time is returned as an empty text.
    """
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, nodes.List | nodes.Tuple):
        return [name for item in node.items for name in static_template_names(item)]
    if isinstance(node, nodes.CondExpr):
        return [
            *static_template_names(node.expr1),
            *([] if node.expr2 is None else static_template_names(node.expr2)),
        ]
    return [""]


def _is_text(node: nodes.Expr) -> bool:
    return isinstance(node, nodes.Const) and isinstance(node.value, str)


def _is_long_path(node: nodes.Expr | None) -> bool:
    links = 0
    while isinstance(node, _LINKS) and links <= _MAX_SHORT_LINKS:
        links += isinstance(node, nodes.Getattr)
        node = node.node
    return links > _MAX_SHORT_LINKS
