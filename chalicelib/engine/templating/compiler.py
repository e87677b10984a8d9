"""Code generation: every loop step and operator pays, every expression knows its position."""

from typing import Any, override

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.runtime import LoopContext

from chalicelib.engine.templating.fuel import Counted, Meter


class MeteredGenerator(CodeGenerator):
    """Writes `charged(…)` around operators that no hook intercepts and counts loops."""

    @override
    def newline(self, node: nodes.Node | None = None, extra: int = 0) -> None:
        if not isinstance(node, nodes.Expr):
            super().newline(node, extra)
            return
        own, node.lineno = node.lineno, _start(node)
        super().newline(node, extra)
        node.lineno = own

    @override
    def visit_For(self, node: nodes.For, frame: Frame) -> None:
        counted = nodes.EnvironmentAttribute("counted", lineno=node.lineno)
        node.iter = nodes.Call(counted, [node.iter], [], None, None, lineno=node.iter.lineno)
        node.iter.set_environment(self.environment)
        super().visit_For(node, frame)

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
    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> str:
        # Nothing but literals is evaluated while compiling: the rest belongs to a paid run.
        if isinstance(node, nodes.TemplateData | nodes.Const):
            return super()._output_child_to_const(node, frame, finalize)
        raise nodes.Impossible

    def _charge(self, visit: Any, node: nodes.Expr, frame: Frame) -> None:
        self.write("charged(")
        visit(node, frame)
        self.write(")")


class MeteredLoop(LoopContext):
    """The `loop` of a template; its steps are paid here instead of in the counting iterable."""

    def __init__(self, meter: Meter, iterable: Any, *args: Any, **kwargs: Any) -> None:
        """Take the counting wrapper off, so that `loop.length` needs no walk."""
        source = iterable.source if isinstance(iterable, Counted) else iterable
        super().__init__(source, *args, **kwargs)
        self._meter = meter

    @override
    def __next__(self) -> tuple[Any, LoopContext]:
        self._meter.spend()
        return super().__next__()


def _start(node: nodes.Node) -> int:
    return min([node.lineno, *(child.lineno for child in node.find_all(nodes.Expr))])
