"""Function that checks JSON Schemas, and data against them, without rights on AWS."""
