"""Builds what is deployed: the SAM template and the archives that it names."""
