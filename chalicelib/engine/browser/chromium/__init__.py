"""The Chromium process: flags, start, supervision, memory and its DevTools pipe."""
