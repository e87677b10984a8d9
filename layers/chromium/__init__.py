"""Layer of headless Chromium with the libraries that it needs."""
