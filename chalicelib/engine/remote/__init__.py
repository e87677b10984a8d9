"""The engine behind an invocation: calls, results, and the execution of a call."""
