"""Email rules of a render: their texts are templates, run once its files exist."""
