"""Runner of functions as on Lambda: one process per concurrent invocation, killed at timeout."""
