"""Outbound connections other than AWS: egress, HTTP and SMTP."""
