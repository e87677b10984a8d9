"""Dead letters: messages that were given up, what became of what they stood for, and why."""
