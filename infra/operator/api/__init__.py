"""Commands of `platen` that speak the public API, of any service."""
