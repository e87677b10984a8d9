"""Function that runs PDF tools, without rights on AWS."""
