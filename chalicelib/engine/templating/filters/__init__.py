"""Document filters: money, numbers, dates, codes and prose in templates.

Only `locale_defaults` belongs to the service's own process. The other modules import Jinja2 and run
in the child process.
"""
