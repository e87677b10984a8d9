"""The HTTP edge: routes, authentication, problems; the only layer that knows Chalice."""
