"""Object store of a durable stack: objects are plain files, synced before a write is answered."""
