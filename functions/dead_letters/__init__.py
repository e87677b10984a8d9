"""Ends what given up messages stand for."""
