"""Items of the limits that are updated under conditions on their last known state."""
