"""Plug-ins of LocalStack: the packaged functions run as processes, the tables lie in dynoxide."""
