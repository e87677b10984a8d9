"""What is due: promises for later that stand in the `due` index."""
