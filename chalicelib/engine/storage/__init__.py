"""Keys under which the files of a render are stored at storage destinations."""
