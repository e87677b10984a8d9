"""`python -m infra.serve`: the command of `make serve`."""

from infra.operator.serve import serve

if __name__ == "__main__":
    serve()
