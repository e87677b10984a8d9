"""Function that runs renders, by invocation or from the queue; the engine makes their files."""
