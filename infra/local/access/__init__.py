"""Who may use the ports of this machine's stack: who names them, and who signs (decision 58)."""
