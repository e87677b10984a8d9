"""Runner of functions: as on Lambda a process for each concurrent invocation, or a thread."""
