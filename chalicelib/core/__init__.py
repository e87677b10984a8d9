"""Ids, time, errors, problems and text; standard library only."""
