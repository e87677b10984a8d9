"""Receipts of uploads that have rows of their own."""
