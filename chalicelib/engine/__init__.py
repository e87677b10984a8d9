"""Document engine: options and bytes in, bytes and findings out; knows no tenant."""
