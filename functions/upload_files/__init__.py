"""Function that uploads files to stores."""
