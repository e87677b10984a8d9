"""Prepared pages: browsers started ahead, warmed up and recycled."""
