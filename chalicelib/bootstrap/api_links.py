"""Use cases of the API function for signed links, each built on first use."""

from functools import cached_property

from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.bootstrap.api_renders import RenderUseCases
from chalicelib.bootstrap.api_state import ApiState
from chalicelib.features.signed_links.make_once import MakeOnce
from chalicelib.features.signed_links.manage import ManageLinks
from chalicelib.features.signed_links.repository import SignedLinks
from chalicelib.features.signed_links.serve import ServeLink
from chalicelib.features.templates.read import ReadTemplates


class LinkUseCases:
    """Use cases for signed links, over those for renders."""

    def __init__(
        self,
        state: ApiState,
        sealer: SecretSealer,
        read_templates: ReadTemplates,
        renders: RenderUseCases,
    ) -> None:
        """Seal secrets with `sealer`."""
        self._state = state
        self._sealer = sealer
        self._read_templates = read_templates
        self._renders = renders
        self._links = SignedLinks(state.tables, state.settings.main_table)

    @cached_property
    def manage(self) -> ManageLinks:  # noqa: D102
        return ManageLinks(
            links=self._links,
            templates=self._read_templates,
            sealer=self._sealer,
            files_host=self._state.settings.files_host,
            clock=self._state.clock,
            ids=self._state.ids,
        )

    @cached_property
    def serve(self) -> ServeLink:  # noqa: D102
        state = self._state
        make_once = MakeOnce(
            links=self._links,
            renders=state.renders,
            objects=state.objects,
            create=self._renders.create,
            run_now=self._renders.run_now,
            clock=state.clock,
        )
        return ServeLink(
            links=self._links,
            sealer=self._sealer,
            workspaces=state.workspaces,
            make_once=make_once,
            clock=state.clock,
        )
