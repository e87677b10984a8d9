"""What the features need from outside, behind ports."""
