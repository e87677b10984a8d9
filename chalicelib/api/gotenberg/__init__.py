"""Routes of Gotenberg 8, translated to ordinary requests; nothing below `api` knows of them."""
