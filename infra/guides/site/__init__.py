"""Site of docs/: configuration, look and hooks of ProperDocs (decision 72)."""
