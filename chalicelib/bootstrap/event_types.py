"""Registry of event types."""

from typing import Final

from chalicelib.features.batches.events import BATCH_EVENT_TYPES
from chalicelib.features.destinations.uploads.events import STORAGE_UPLOAD_FAILED
from chalicelib.features.emails.sends.events import EMAIL_EVENT_TYPES
from chalicelib.features.renders.events import RENDER_EVENT_TYPES
from chalicelib.features.templates.publish import TEMPLATE_PUBLISHED
from chalicelib.features.usage.notify_thresholds import USAGE_THRESHOLD_REACHED
from chalicelib.features.webhooks.subscribe import WEBHOOK_STEP

EVENT_TYPES: Final = (
    *RENDER_EVENT_TYPES,
    TEMPLATE_PUBLISHED,
    USAGE_THRESHOLD_REACHED,
    *BATCH_EVENT_TYPES,
    *EMAIL_EVENT_TYPES,
    STORAGE_UPLOAD_FAILED,
    WEBHOOK_STEP,
)
# All types that customers can choose, in the order of the reference.
CONTRACT_EVENT_TYPES: Final = tuple(each for each in EVENT_TYPES if each.is_public)
