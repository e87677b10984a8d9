"""Build scripts of the Lambda layers; the same files serve a laptop and CI."""
