"""One document in one browser context: load, wait, watch, print."""
