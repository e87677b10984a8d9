"""Objects that templates meet besides data: loops, macros, blocks and helpers; none has a text."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, override

from jinja2.runtime import (
    BlockReference,
    Context,
    LoopContext,
    Macro,
    TemplateReference,
    Undefined,
)
from jinja2.utils import Cycler, Joiner, Namespace

from chalicelib.engine.templating.fuel import FuelMeter, MeteredIterable
from chalicelib.engine.templating.unprintable import Unprintable

if TYPE_CHECKING:
    from jinja2.runtime import LoopRenderFunc


class MeteredLoop(Unprintable, LoopContext):
    """`loop` object of a template; it charges its steps itself, instead of MeteredIterable."""

    _advice: ClassVar[str] = (
        "The loop itself cannot be printed; print one of its values, such as loop.index."
    )

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


class UnprintableMacro(Unprintable, Macro):
    """Macro of a template."""

    _advice: ClassVar[str] = "A macro cannot be printed; call it with parentheses."


class UnprintableCycler(Unprintable, Cycler):
    """Result of `cycler(…)`."""


class UnprintableJoiner(Unprintable, Joiner):
    """Result of `joiner(…)`."""


class UnprintableNamespace(Unprintable, Namespace):
    """Result of `namespace(…)`."""

    _advice: ClassVar[str] = "A namespace cannot be printed; print one of its attributes."


class Block(Unprintable, BlockReference):
    """Block that a template calls: `super()`, or one of `self`."""

    _advice: ClassVar[str] = "A block cannot be printed; call it, as in super()."

    @property
    @override
    def super(self) -> "Block | Undefined":
        return callable_block(super().super)


class SelfReference(Unprintable, TemplateReference):
    """`self` object of a template."""

    _advice: ClassVar[str] = "'self' cannot be printed; call one of its blocks, as in self.title()."

    @override
    def __getitem__(self, name: str) -> "Block | Undefined":
        return callable_block(super().__getitem__(name))


class TemplateContext(Context):
    """Variables and blocks of a run."""

    @override
    def super(self, name: str, current: Callable[[Context], Iterator[str]]) -> "Block | Undefined":
        return callable_block(super().super(name, current))


class ImportedModule(Unprintable):
    """Imported template: its macros and variables, apart from those that begin with `_`.

    Compiled code of `{% from %}` reads them as Python attributes, so there may be no others.
    """

    _advice: ClassVar[str] = (
        "An imported template cannot be printed; call one of its macros, or include it."
    )

    def __init__(self, name: str | None, exported: Mapping[str, object]) -> None:
        """Export the variables that the template `name` has set at its top level."""
        self.__dict__.update(exported)
        # Of the message about a name that is not there.
        self.__name__ = name


def callable_block(reference: "BlockReference | Undefined") -> "Block | Undefined":
    """Return Jinja2's reference to a block in a form that templates may call, but not print."""
    if not isinstance(reference, BlockReference):
        return reference
    return Block(reference.name, reference._context, reference._stack, reference._depth)  # noqa: SLF001 -- no other way to copy it
