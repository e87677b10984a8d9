"""Reports of providers on sends."""
