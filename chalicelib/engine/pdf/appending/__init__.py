"""Merging of many documents, one after the other, resumable from a saved state.

The combined files of batches are made so (`engine/combining/merged_pdf.py`).
"""
