"""Installs everything into project folders, pinned and checked; needs Python 3.13, make and npm."""
