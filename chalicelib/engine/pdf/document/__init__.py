"""A document as a whole: opened, walked, described, protected and saved."""
