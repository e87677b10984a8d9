"""`platen`: root of the operator tool's command line."""

from typing import Final

import click

from infra.operator.lazy_group import LazyGroup

_HELP: Final = """Make documents with Platen, and operate it.

Commands work on this machine's service, on the server of a data folder (--data), on a deployed
stage (--stage), or on the stack that the environment names. `render create` and `template push`,
`pull` and `watch` speak the API, of any service (--url, --key).
"""
_COMMANDS: Final = {
    "serve": ("infra.operator.serve:serve", "Serve from a folder that keeps everything."),
    "backup": ("infra.operator.backups:backup", "Back a data folder up while it is served."),
    "restore": ("infra.operator.backups:restore", "Restore a backup into an empty folder."),
    "render": ("infra.operator.groups:render", "Make documents; trace renders."),
    "template": ("infra.operator.groups:template", "Keep templates as files; change them."),
    "pdf": ("infra.operator.pdf:pdf", "Run a PDF tool on local files, without a service."),
    "conform": ("infra.operator.conform:conform", "Tell whether a file is what it claims to be."),
    "workspace": ("infra.operator.workspaces:workspace", "Manage workspaces and their plans."),
    "export": ("infra.operator.contents.commands:export", "Write a workspace into a file."),
    "import": (
        "infra.operator.contents.commands:import_file",
        "Make a workspace what a file holds.",
    ),
    "key": ("infra.operator.keys:key", "Manage API keys."),
    "member": ("infra.operator.members:member", "Manage the members of a workspace."),
    "webhook": ("infra.operator.groups:webhook", "Inspect, redrive and forward webhooks."),
    # The name of before, which shows in no help.
    "webhooks": ("infra.operator.groups:webhooks", ""),
    "dlq": ("infra.operator.dead_letters:dlq", "Inspect and redrive messages given up."),
    "service": ("infra.operator.service:service", "Control the service as a whole."),
    "doctor": ("infra.operator.doctor.command:doctor", "Check this machine and its service."),
    "mail": ("infra.operator.mail:mail", "Manage the mail server for mail to owners."),
    "settings": ("infra.operator.settings:settings", "List every setting and its meaning."),
}

main: Final = click.version_option(package_name="platen", prog_name="platen")(
    LazyGroup(
        "platen",
        _COMMANDS,
        help=_HELP,
        params=[
            click.Option(
                ["--stage"], envvar="PLATEN_STAGE", help="A deployed stage, such as production."
            ),
            click.Option(
                ["--data"], envvar="PLATEN_DATA", help="The data folder of a server (`serve`)."
            ),
        ],
    )
)
