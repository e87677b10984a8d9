"""Document of a source, and the parts of a job that it is made of."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.json import JsonObject
from chalicelib.engine.assets import NO_ASSETS, AssetFiles
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.templating.includes import Includes


class SourceInputs(NamedTuple):
    """Data and includes of a document's templates, and the output that it is made for.

    `texts` yields all texts of the job that may name data.
    """

    data: JsonObject
    includes: Includes
    output: OutputOptions
    texts: Callable[[], Iterator[str]]


class SourceDocument(NamedTuple):
    """Document to load: HTML, or the page at `url`; `output` has its templates run.

    `assets` are answered at the origin of HTML. `has_templates` tells whether its text was one.
    """

    html: str
    output: OutputOptions
    url: str | None = None
    is_canvas: bool = False
    warnings: tuple[RenderWarning, ...] = ()
    assets: AssetFiles = NO_ASSETS
    has_templates: bool = True
