"""Set-up: installs all tools into project folders, pinned and checked by hash.

Needs Python 3.13, make and npm. Standard library only, as it runs before anything is installed.
"""
