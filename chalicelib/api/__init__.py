"""HTTP API: endpoints of the resources and the edge, the only layer that knows Chalice."""
