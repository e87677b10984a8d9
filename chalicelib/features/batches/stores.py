"""Stores of batches, which most of its use cases need together."""

from typing import NamedTuple

from chalicelib.adapters.aws.table import Table
from chalicelib.features.batches.bodies import BatchBodies
from chalicelib.features.batches.release.repository import ReleaserLeases
from chalicelib.features.batches.repository import Batches


class BatchStores(NamedTuple):
    """Rows, objects and leases of batches."""

    table: Table
    batches: Batches
    bodies: BatchBodies
    leases: ReleaserLeases
