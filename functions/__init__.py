"""Lambda functions behind a queue, a schedule or an invocation; one folder each."""
