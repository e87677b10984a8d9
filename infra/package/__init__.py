"""Builds what is deployed: the merged SAM template and the one archive of all functions."""
