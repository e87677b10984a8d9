"""Pages for people, and what they load: stored content, sent compressed and with an ETag."""
