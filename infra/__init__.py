"""What runs, builds, measures and operates Platen; nothing here is deployed."""
