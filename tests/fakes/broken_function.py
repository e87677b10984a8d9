"""A function whose import fails."""

message = "no such setting"
raise RuntimeError(message)
