"""The document filters: money, numbers, dates, codes and prose, as a template writes them.

Only `pages` belongs to the service's own process: all else imports Jinja2 and runs in the child.
"""
