"""Real servers of storage on free ports, and files to store in them."""
