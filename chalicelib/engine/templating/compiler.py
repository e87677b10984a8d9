"""Code generator of templates: charges fuel for loops and operators, and keeps exact positions."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, NoReturn, override

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import TemplateAssertionError
from jinja2.runtime import LoopContext, Undefined

from chalicelib.core.ids import is_id
from chalicelib.engine.templating.fuel import FuelMeter, MeteredIterable

if TYPE_CHECKING:
    from jinja2.runtime import LoopRenderFunc

type _FinalizeInfo = CodeGenerator._FinalizeInfo  # noqa: SLF001 -- a parameter of methods below

_INCLUDE_NAME_MESSAGE: Final = (
    "Only templates of this workspace can be included, each by its id as a plain string: "
    '{% include "tpl_…" %}.'
)


class UnsupportedSyntaxError(TemplateAssertionError):
    """Syntax of Jinja2 that this template language does not have."""


class MeteredCodeGenerator(CodeGenerator):
    """Code generator that wraps operators without a Jinja2 hook in `charge_operation(…)`."""

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
        if not all(is_id("tpl", name) for name in _static_template_names(node.template)):
            self._refuse(_INCLUDE_NAME_MESSAGE, node)
        super().visit_Include(node, frame)

    @override
    def visit_Extends(self, node: nodes.Extends, frame: Frame) -> None:
        self._refuse(_unsupported_tag_message("extends"), node)

    @override
    def visit_Import(self, node: nodes.Import, frame: Frame) -> None:
        self._refuse(_unsupported_tag_message("import"), node)

    @override
    def visit_FromImport(self, node: nodes.FromImport, frame: Frame) -> None:
        self._refuse(_unsupported_tag_message("from"), node)

    @override
    def position(self, node: nodes.Node) -> str:
        return "this line"  # The failure carries the exact position.

    @override
    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:
        self._charge(super().visit_Compare, node, frame)

    @override
    def visit_And(self, node: nodes.BinExpr, frame: Frame) -> None:
        self._charge(super().visit_And, node, frame)

    @override
    def visit_Or(self, node: nodes.BinExpr, frame: Frame) -> None:
        self._charge(super().visit_Or, node, frame)

    @override
    def visit_Not(self, node: nodes.UnaryExpr, frame: Frame) -> None:
        self._charge(super().visit_Not, node, frame)

    @override
    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        # Fast path: a key of a dict is read without a call. `lookup` decides about all else.
        key = repr(node.attr)
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
        if isinstance(node, nodes.TemplateData | nodes.Const):
            return super()._output_child_to_const(node, frame, finalize)
        raise nodes.Impossible

    def _refuse(self, message: str, node: nodes.Stmt) -> NoReturn:
        raise UnsupportedSyntaxError(message, node.lineno, self.name, self.filename)

    def _charge[E: nodes.Expr](
        self, visit: Callable[[E, Frame], None], node: E, frame: Frame
    ) -> None:
        self.write("charge_operation(")
        visit(node, frame)
        self.write(")")


class MeteredLoop(LoopContext):
    """`loop` object of a template; it charges its steps itself, instead of MeteredIterable."""

    def __init__(
        self,
        meter: FuelMeter,
        iterable: Iterable[object],
        undefined: type[Undefined],
        recurse: "LoopRenderFunc | None" = None,
        depth0: int = 0,
    ) -> None:
        """Unwrap a MeteredIterable, so that `loop.length` needs no iteration."""
        source = iterable.iterable if isinstance(iterable, MeteredIterable) else iterable
        super().__init__(source, undefined, recurse, depth0)
        self._meter = meter

    @override
    def __next__(self) -> tuple[object, LoopContext]:
        self._meter.spend()
        return super().__next__()


def _start_position(node: nodes.Node) -> int:
    return min([node.lineno, *(child.lineno for child in node.find_all(nodes.Expr))])


def _static_template_names(node: nodes.Expr | None) -> list[str]:
    """Return the names that an include may load.

    A name that is only known at run time is returned as an empty text.
    """
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, nodes.List | nodes.Tuple):
        return [name for item in node.items for name in _static_template_names(item)]
    if isinstance(node, nodes.CondExpr):
        return [
            *_static_template_names(node.expr1),
            *([] if node.expr2 is None else _static_template_names(node.expr2)),
        ]
    return [""]


def _unsupported_tag_message(name: str) -> str:
    return (
        f"The tag '{name}' is not supported. Put what templates share into a template of its own "
        'and use {% include "tpl_…" %}.'
    )
