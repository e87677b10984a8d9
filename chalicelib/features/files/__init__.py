"""Files of renders: their records and the signed URLs that download them."""
