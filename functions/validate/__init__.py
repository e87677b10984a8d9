"""Function that runs the conformance validators."""
