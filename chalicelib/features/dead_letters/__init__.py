"""Dead letters: messages that no worker could process, their reasons and their outcomes."""
