"""Access to the ports of this machine's stack: by its name, and by signature (decision 58)."""
