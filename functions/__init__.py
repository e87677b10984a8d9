"""One folder per Lambda behind a queue, a schedule or an invocation."""
