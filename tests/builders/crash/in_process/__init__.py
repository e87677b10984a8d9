"""The whole service in this process, whose functions die at armed crash points."""
