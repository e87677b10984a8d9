"""The browser's filtering proxy: connections, request heads and traffic budgets."""
