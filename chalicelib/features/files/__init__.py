"""Files of renders: where they are kept and the signed addresses they are fetched from."""
