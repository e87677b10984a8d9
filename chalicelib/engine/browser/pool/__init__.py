"""Pool of browsers and prepared pages: started ahead, lent and recycled."""
