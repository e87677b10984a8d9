"""Rate of the sends of a connection."""
