"""Delivery of a job's files: email rules and storage targets, and what their templates gave."""
