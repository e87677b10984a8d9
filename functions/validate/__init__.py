"""The function of the validators."""
