"""Typed options of an output, with bounds and defaults; request models are derived from them."""
