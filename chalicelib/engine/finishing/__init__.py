"""What is done to a file after the browser has made it; bytes in, bytes out."""
