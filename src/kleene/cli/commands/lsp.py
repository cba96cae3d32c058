"""`kleene lsp`."""

from __future__ import annotations

import click

from kleene.diagnostics import UsageError


@click.command("lsp", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--tcp", type=click.IntRange(0, 65535), metavar="PORT", help="Listen on 127.0.0.1:PORT, for one editor.")
def command(tcp: int | None) -> int:
    """Serve an editor by the Language Server Protocol, on standard input and output.

    Marks mistakes in TVP and TVS as they are written, and findings in C with the run that shows them; shows the
    shapes at a line, completes predicates and actions, goes to definitions. Needs 'pip install kleene[lsp]'.
    """
    try:
        from kleene.cli.lsp.server import make_server
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        raise UsageError("'kleene lsp' needs pygls: install it with \"pip install 'kleene[lsp]'\"") from None
    server = make_server()
    if tcp is not None:
        server.start_tcp("127.0.0.1", tcp)
    else:
        server.start_io()
    return 0
