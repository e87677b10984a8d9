"""Give-back of quota: a subscriber to final events of renders of links that did not succeed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import override

import msgspec

from chalicelib.adapters.aws.table import Write
from chalicelib.core.crash_points import CrashPoint
from chalicelib.features.events.model import EventDelivery, OutgoingMessage, Subscriber
from chalicelib.features.events.relay import crash_for_each
from chalicelib.features.renders.events import FINAL_EVENT_TYPES
from chalicelib.features.renders.rows import render_of
from chalicelib.features.signed_links.repository import SignedLinks


class GiveBackQuota(Subscriber, msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Subscriber that gives the quota of failed and canceled renders back to their links."""

    types = FINAL_EVENT_TYPES

    links: SignedLinks

    @override
    def writes(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
    ) -> Sequence[Write]:
        """Return the writes that give back; none for a link that is deleted."""
        failed = _failed_by_link(deliveries)
        # A link that is deleted just now refuses the transaction: the message comes once more.
        return [
            self.links.give_back(link.id, failed[link.id])
            for link in self.links.get_many(list(failed))
        ]

    @override
    def follow_up(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
    ) -> Sequence[OutgoingMessage]:
        """Send nothing, as the transaction of the event has given the quota back."""
        crash_for_each(
            CrashPoint.LINK_QUOTA_RETURNED,
            [each for each in deliveries if _failed_by_link([each])],
        )
        return ()


def _failed_by_link(deliveries: Sequence[EventDelivery]) -> Counter[str]:
    """Return how many renders of each link have failed."""
    renders = [render_of(each.subject_row) for each in deliveries]
    return Counter(
        render.link_id
        for render in renders
        if render.link_id is not None and render.status != "succeeded"
    )
