"""Crash points: numbered places where a test kills this process; without a test they do nothing."""

import os
import signal
import threading
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Final


class CrashPoint(IntEnum):
    """The step after which the process is killed.

    A name begins with the function that usually takes the step; from 60 on with the object of the
    step, for objects other than renders.
    """

    API_ADMITTED = 1
    API_BODY_STORED = 2
    API_CREATED = 3
    API_ENQUEUED = 4
    API_RAN = 5
    API_LATE_BODY_STORED = 6
    API_LATE_HANDED_OVER = 7
    API_ENDED = 8

    RENDER_BEGUN = 10
    RENDER_CLAIMED = 11
    RENDER_MADE = 12
    RENDER_STORED = 13
    RENDER_FINISHED = 14
    RENDER_SETTLED = 15
    RENDER_EVENT_SENT = 16
    RENDER_VALIDATED = 17

    RELAY_BEGUN = 20
    RELAY_SETTLED = 21
    RELAY_CLEANED_UP = 22
    RELAY_PUBLISHED = 23
    RELAY_FOLDED = 24
    RELAY_PREPARED = 25
    RELAY_FOLLOWED_UP = 26

    TICK_BEGUN = 30
    TICK_CLAIMED = 31
    TICK_SENT = 32
    TICK_FOUND = 33
    TICK_BATCH_SENT = 34

    MAINTENANCE_BEGUN = 40
    MAINTENANCE_POSTPONED = 41
    MAINTENANCE_RESENT = 42
    MAINTENANCE_ENDED = 43
    MAINTENANCE_PURGE_MARKED = 44
    MAINTENANCE_PURGED = 45
    MAINTENANCE_RECONCILED = 46
    MAINTENANCE_EXPIRED = 47

    DEAD_LETTERS_ENDED = 50
    DEAD_LETTERS_RECORDED = 51

    ENGINE_BEGUN = 55
    ENGINE_MADE = 56
    ENGINE_STORED = 57

    UPLOAD_STORED = 60
    UPLOAD_COPIED = 61
    UPLOAD_READY = 62
    UPLOAD_COUNTED = 63

    ANSWER_CLAIMED = 65
    ANSWER_MADE = 66
    ANSWER_KEPT = 67

    TEMPLATE_ANNOUNCED = 70
    TEMPLATE_STORED = 71
    TEMPLATE_WRITTEN = 72
    TEMPLATE_EVENT_SENT = 73
    TEMPLATE_PURGING = 74
    TEMPLATE_ERASED = 75

    WORKSPACE_KEYS_ERASED = 80
    WORKSPACE_ERASED = 81
    WORKSPACE_LIMITS_ERASED = 82
    WORKSPACE_RELEASED = 83
    WORKSPACE_POSTPONED = 84

    THRESHOLD_WRITTEN = 90
    THRESHOLD_EVENT_SENT = 91
    KEY_WARNED = 92
    LEASE_TAKEN = 93
    THRESHOLD_REPORTED = 94
    THRESHOLD_SAVED = 95

    LIMITS_SETTLED = 100
    LIMITS_FOLDED = 101
    LIMITS_DUE = 102
    LIMITS_RECOUNTED = 103
    LIMITS_CONFIRMED = 104
    LIMITS_RELEASED = 105
    LIMITS_CLEARED = 106

    WEBHOOK_PAYLOAD_STORED = 110
    WEBHOOK_BEGUN = 111
    WEBHOOK_CLAIMED = 112
    WEBHOOK_LEASED = 113
    WEBHOOK_POSTPONED = 114
    WEBHOOK_SENT = 115
    WEBHOOK_RECORDED = 116
    WEBHOOK_NEXT_SENT = 117
    WEBHOOK_RELEASED = 118
    WEBHOOK_REPLAYED = 119
    WEBHOOK_REPLAY_SENT = 120
    WEBHOOK_SAMPLE_WRITTEN = 121
    WEBHOOK_SECRET_MADE = 122
    WEBHOOK_OWNER_NOTIFIED = 123
    WEBHOOK_PAYLOAD_ERASED = 124
    WEBHOOK_GIVEN_UP = 125

    BATCH_ANNOUNCED = 130
    BATCH_STORED = 131
    BATCH_ACCEPTED = 132
    BATCH_LEASED = 133
    BATCH_RESERVED = 134
    BATCH_RELEASED = 135
    BATCH_ENQUEUED = 136
    BATCH_PROGRESSED = 137
    BATCH_PAUSED = 138
    BATCH_ENDED = 139
    BATCH_CANCEL_WRITTEN = 140
    BATCH_ITEM_CANCELED = 141
    BATCH_RETRIED = 142
    BATCH_ERASED = 143
    BATCH_CHUNK_STORED = 144
    BATCH_CHUNK_COUNTED = 145
    BATCH_COUNTED = 146
    BATCH_COMBINING = 147

    COMBINE_BEGUN = 150
    COMBINE_PART_PUT = 151
    COMBINE_STATE_STORED = 152
    COMBINE_PART_SAVED = 153
    COMBINE_COMPLETED = 154
    COMBINE_ENDED = 155
    COMBINE_ITEM_PURGED = 156
    COMBINE_CLEANED_UP = 157

    EMAIL_BEGUN = 160
    EMAIL_SLOT_TAKEN = 161
    EMAIL_CLAIMED = 162
    EMAIL_PREPARED = 163
    EMAIL_MARKED = 164
    EMAIL_HANDED_OVER = 165
    EMAIL_RECORDED = 166
    EMAIL_EVENT_SENT = 167
    EMAIL_DELAYED = 168
    EMAIL_RESENT = 169
    EMAIL_RESEND_SENT = 170
    EMAIL_GIVEN_UP = 171
    RENDER_EMAILS_STORED = 172
    EMAIL_REPORT_STORED = 173
    EMAIL_EVENTS_REGISTERED = 174

    LINK_CLAIMED = 180
    LINK_RAN = 181
    LINK_TAKEN_OVER = 182
    LINK_QUOTA_RETURNED = 183
    LINK_DELETED = 184
    LINK_ERASED = 185

    STORAGE_BEGUN = 190
    STORAGE_CLAIMED = 191
    STORAGE_STORED = 192
    STORAGE_RECORDED = 193
    STORAGE_EVENT_SENT = 194
    STORAGE_DELAYED = 195
    STORAGE_GIVEN_UP = 196
    STORAGE_OPENED = 197
    STORAGE_CLAIM_EXTENDED = 198
    STORAGE_NOTED = 199
    STORAGE_POSTPONED = 200


# Threads that reach the points together count one after the other.
_COUNT_LOCK: Final = threading.Lock()


class _ArmedFolder:
    folder: Path | None = None
    request: Callable[[], str | None]


def arm(folder: str, current_request: Callable[[], str | None]) -> None:
    """Arm the crash points by the files of a folder; an empty `folder` disarms them.

    A file is named after a point, or after a point and the id of one request (`12`, `12.req_1`),
    which `current_request` returns. It holds numbers: the first counts the hits until the crash,
    the next those until the crash after that.
    """
    _ArmedFolder.folder = Path(folder) if folder else None
    _ArmedFolder.request = current_request


def crash_if_armed(point: CrashPoint) -> None:
    """Kill the process with SIGKILL if a file of the armed folder says so; else only count the hit.

    SIGKILL, because a lost function runs no handlers and no `finally` either.
    """
    if _ArmedFolder.folder is None:
        return
    with _COUNT_LOCK:
        for name in (f"{point:d}", f"{point:d}.{_ArmedFolder.request()}"):
            _count_hit(_ArmedFolder.folder / name)


def _count_hit(file: Path) -> None:
    try:
        first, *next_counts = file.read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return
    if int(first) > 1:
        file.write_text(" ".join([str(int(first) - 1), *next_counts]), encoding="utf-8")
        return
    if next_counts:
        file.write_text(" ".join(next_counts), encoding="utf-8")
    else:
        file.unlink()
    os.kill(os.getpid(), signal.SIGKILL)
