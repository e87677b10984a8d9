"""Function that opens pages and runs templates: the engine, without rights on AWS."""
