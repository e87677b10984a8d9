"""The Chromium process: flags, fonts, start, supervision, memory and its DevTools pipe."""
