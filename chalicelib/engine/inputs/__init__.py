"""Inputs of a job: source document, data, attachments and texts, ready before the page opens."""
