"""Routes of templates: the template, its draft and versions, and its datasets."""
