"""Facts: what others must learn of a change, written with it and told to each once."""
