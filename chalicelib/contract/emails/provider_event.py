"""Events of a provider, as it sends them."""

from pydantic import RootModel

from chalicelib.contract.field_types import UncheckedJson


class ProviderEvents(RootModel[dict[str, UncheckedJson] | list[dict[str, UncheckedJson]]]):
    """One event as Brevo describes it, or a list of up to 500."""
