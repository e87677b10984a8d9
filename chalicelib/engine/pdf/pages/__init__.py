"""Pages of a document with what belongs to them: outline, names, tags, fields and labels."""
