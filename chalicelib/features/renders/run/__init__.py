"""Execution of a render: from the row to its final state."""
