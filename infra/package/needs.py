"""What the code of each function asks for: settings, layers, and leave to act on AWS.

The check before each deployment reads this table, and a test holds every role to it: no less, and
nothing more. A grant is (action, resource); after a space stands the partition it is held to.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from chalicelib.settings import ApiSettings, RenderSettings

type Grant = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Needs:
    """What one function cannot work without."""

    settings: type[ApiSettings | RenderSettings]
    grants: frozenset[Grant]
    layers: frozenset[str] = frozenset()


def _grants(*rows: tuple[str, str]) -> frozenset[Grant]:
    """Return every action of each row, named without its service, on the row's resource."""
    named = ([*actions.split(":", 1), resource] for actions, resource in rows)
    return frozenset(
        (f"{service}:{action}", resource)
        for service, actions, resource in named
        for action in actions.split()
    )


_LOGS: Final = (
    "logs:CreateLogGroup CreateLogStream PutLogEvents",
    "log-group:/aws/lambda/${AWS::StackName}-*",
)

NEEDS: Final[Mapping[str, Needs]] = {
    "APIHandler": Needs(
        settings=ApiSettings,
        grants=_grants(
            _LOGS,
            ("dynamodb:GetItem BatchGetItem PutItem UpdateItem", "MainTable"),
            ("dynamodb:GetItem BatchGetItem PutItem UpdateItem DeleteItem", "TransientTable"),
            ("dynamodb:Query", "${MainTable.Arn}/index/lists"),
            ("s3:GetObject DeleteObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:PutObject DeleteObject", "${FilesBucket.Arn}/tmp/*"),
            ("s3:ListBucket", "FilesBucket"),
            ("sqs:SendMessage", "RendersQueue"),
            ("lambda:InvokeFunction", "RenderFunction"),
            ("secretsmanager:GetSecretValue", "SigningSecret"),
        ),
    ),
    "RenderFunction": Needs(
        settings=RenderSettings,
        layers=frozenset({"ChromiumLayer", "FontsLayer"}),
        grants=_grants(
            _LOGS,
            ("dynamodb:GetItem PutItem UpdateItem", "MainTable WS#*#RND#*"),
            ("dynamodb:GetItem PutItem UpdateItem", "MainTable WS#*#LIM"),
            ("dynamodb:GetItem PutItem UpdateItem", "MainTable FILE#*"),
            ("s3:PutObject DeleteObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:GetObject DeleteObject", "${FilesBucket.Arn}/tmp/*"),
            ("sqs:ReceiveMessage DeleteMessage GetQueueAttributes", "RendersQueue"),
        ),
    ),
}
