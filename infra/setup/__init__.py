"""Set-up: installs all tools into project folders, pinned and checked by hash.

Needs make and any Python 3.9 with pip. Until the packages of the product are installed, only the
standard library is there.
"""
