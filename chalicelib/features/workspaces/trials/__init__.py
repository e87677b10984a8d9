"""Tests of credentials by the function that may open them."""
