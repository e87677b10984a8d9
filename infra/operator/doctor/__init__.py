"""`platen doctor`: checks of this machine and of its service, each finding with what to do."""
