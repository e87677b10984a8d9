"""Email rules of templates: their rows, changes, previews and tests."""
