"""`platen serve`: the service on one own server, in the foreground."""

from pathlib import Path
from typing import Final

import click

PORT: Final = 8700


@click.command(epilog="Example: platen serve --data /srv/platen")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    envvar="PLATEN_DATA",
    help="The folder of all data, which is needed; it is made if it is not there.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=PORT,
    show_default=True,
    help="0 takes a free one.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--tls-cert",
    type=click.Path(path_type=Path),
    envvar="PLATEN_TLS_CERT",
    help="Speak TLS with this chain of certificates (PEM), read again when it changes.",
)
@click.option(
    "--tls-key",
    type=click.Path(path_type=Path),
    envvar="PLATEN_TLS_KEY",
    help="Its key; without it the file of the certificates holds the key, too.",
)
@click.option("--logs", "form", flag_value="logs", help="A line per request and invocation.")
@click.option("--json", "form", flag_value="json", help="The same, one JSON object per line.")
def serve(
    *,
    data: Path | None,
    port: int,
    host: str,
    tls_cert: Path | None,
    tls_key: Path | None,
    form: str | None,
) -> None:
    """Serve from a folder that keeps everything, until a signal comes."""
    folder = data or click.get_current_context().find_root().params.get("data")
    if not folder:
        raise click.UsageError("name the folder of the data: --data, or PLATEN_DATA")
    from infra.local.server import Address
    from infra.serve.run import RefusedStartError, TlsFiles, serve_folder

    if tls_key and not tls_cert:
        raise click.UsageError(
            "--tls-key (PLATEN_TLS_KEY) has no --tls-cert (PLATEN_TLS_CERT) beside it"
        )
    tls = TlsFiles(tls_cert, tls_key or tls_cert) if tls_cert else None
    try:
        serve_folder(
            Path(folder),
            Address(host, port),
            tls,
            shows_traffic=form == "logs",
            as_json=form == "json",
        )
    except RefusedStartError as refused:
        click.echo(str(refused), err=True)
        raise SystemExit(1) from refused
