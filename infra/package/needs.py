"""Needs of each function: settings, layers and grants (permissions on AWS).

The check before each deployment reads this table, and a test proves that every role has exactly
these grants. A grant is (action, resource); a partition key that limits it follows after a space.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from chalicelib.settings import (
    ApiSettings,
    DeadLettersSettings,
    MaintenanceSettings,
    RelaySettings,
    RenderSettings,
    Settings,
    TickSettings,
    ValidateSettings,
)

type Grant = tuple[str, str]


@dataclass(frozen=True, slots=True)
class FunctionNeeds:
    """Settings, grants and layers of one function."""

    settings: type[Settings]
    grants: frozenset[Grant]
    layers: frozenset[str] = frozenset()


def _grants(*rows: tuple[str, str]) -> frozenset[Grant]:
    """Return the grants of rows such as `("s3:GetObject PutObject", resource)`."""
    named = ([*actions.split(":", 1), resource] for actions, resource in rows)
    return frozenset(
        (f"{service}:{action}", resource)
        for service, actions, resource in named
        for action in actions.split()
    )


_LOG_ACTIONS: Final = (
    "logs:CreateLogGroup CreateLogStream PutLogEvents",
    "log-group:/aws/lambda/${AWS::StackName}-*",
)

# Lambda itself receives messages, with the role of the function.
_POLL_ACTIONS: Final = "sqs:ReceiveMessage DeleteMessage GetQueueAttributes"
# The function itself shortens the visibility timeout of a failed message.
_POLL_AND_POSTPONE_ACTIONS: Final = f"{_POLL_ACTIONS} ChangeMessageVisibility"

NEEDS: Final[Mapping[str, FunctionNeeds]] = {
    "APIHandler": FunctionNeeds(
        settings=ApiSettings,
        grants=_grants(
            _LOG_ACTIONS,
            ("dynamodb:GetItem BatchGetItem PutItem UpdateItem", "MainTable"),
            ("dynamodb:DeleteItem", "MainTable WS#*#TPL#*"),
            ("dynamodb:GetItem BatchGetItem PutItem UpdateItem DeleteItem", "TransientTable"),
            ("dynamodb:Query", "${MainTable.Arn}/index/lists"),
            ("dynamodb:Query", "MainTable WS#*#USE#*"),
            ("dynamodb:Query", "MainTable WS#*#LIM"),
            ("s3:GetObject DeleteObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:PutObject DeleteObject", "${FilesBucket.Arn}/tmp/*"),
            ("s3:PutObject", "${FilesBucket.Arn}/ws/*/templates/*"),
            ("s3:GetObject", "${FilesBucket.Arn}/tmp/uploads/*"),
            ("sqs:SendMessage", "RendersQueue"),
            ("sqs:SendMessage", "RendersLowQueue"),
            ("sqs:SendMessage", "EventsQueue"),
            ("lambda:InvokeFunction", "RenderFunction"),
            ("secretsmanager:GetSecretValue", "SigningSecret"),
        ),
    ),
    "RenderFunction": FunctionNeeds(
        settings=RenderSettings,
        layers=frozenset({"ChromiumLayer", "FontsLayer"}),
        grants=_grants(
            _LOG_ACTIONS,
            ("dynamodb:GetItem PutItem UpdateItem", "MainTable WS#*#RND#*"),
            ("dynamodb:UpdateItem", "MainTable WS#*#LIM"),
            ("dynamodb:PutItem", "MainTable FILE#*"),
            ("s3:PutObject DeleteObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:GetObject", "${FilesBucket.Arn}/tmp/*"),
            (_POLL_AND_POSTPONE_ACTIONS, "RendersQueue"),
            (_POLL_AND_POSTPONE_ACTIONS, "RendersLowQueue"),
            ("sqs:SendMessage", "RendersDeadLetters"),
            ("sqs:SendMessage", "EventsQueue"),
            ("lambda:InvokeFunction", "ValidateFunction"),
            ("s3:PutObject DeleteObject", "${FilesBucket.Arn}/tmp/validate/*"),
        ),
    ),
    "ValidateFunction": FunctionNeeds(
        settings=ValidateSettings,
        layers=frozenset({"ValidatorsLayer"}),
        grants=_grants(
            _LOG_ACTIONS,
            ("s3:GetObject", "${FilesBucket.Arn}/tmp/validate/*"),
        ),
    ),
    "RelayFunction": FunctionNeeds(
        settings=RelaySettings,
        grants=_grants(
            _LOG_ACTIONS,
            ("dynamodb:BatchGetItem UpdateItem", "MainTable"),
            ("dynamodb:GetItem Query", "MainTable WS#*#LIM"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/tmp/*"),
            (_POLL_AND_POSTPONE_ACTIONS, "EventsQueue"),
            ("sqs:SendMessage", "EventsDeadLetters"),
        ),
    ),
    "TickFunction": FunctionNeeds(
        settings=TickSettings,
        grants=_grants(
            _LOG_ACTIONS,
            ("dynamodb:Query", "${MainTable.Arn}/index/due"),
            ("dynamodb:UpdateItem", "MainTable"),
            ("sqs:SendMessage", "EventsQueue"),
            ("sqs:SendMessage", "MaintenanceQueue"),
        ),
    ),
    "MaintenanceFunction": FunctionNeeds(
        settings=MaintenanceSettings,
        grants=_grants(
            _LOG_ACTIONS,
            ("dynamodb:GetItem BatchGetItem PutItem UpdateItem DeleteItem", "MainTable"),
            ("dynamodb:Query", "MainTable WS#*"),
            ("dynamodb:Query", "${MainTable.Arn}/index/lists"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:DeleteObject", "${FilesBucket.Arn}/tmp/*"),
            (_POLL_AND_POSTPONE_ACTIONS, "MaintenanceQueue"),
            ("sqs:SendMessage", "MaintenanceDeadLetters"),
            ("sqs:SendMessage", "RendersQueue"),
            ("sqs:SendMessage", "RendersLowQueue"),
            ("sqs:SendMessage", "EventsQueue"),
        ),
    ),
    "DeadLettersFunction": FunctionNeeds(
        settings=DeadLettersSettings,
        grants=_grants(
            _LOG_ACTIONS,
            ("dynamodb:GetItem PutItem UpdateItem", "MainTable"),
            ("dynamodb:PutItem", "TransientTable"),
            (_POLL_ACTIONS, "RendersDeadLetters"),
            (_POLL_ACTIONS, "EventsDeadLetters"),
            (_POLL_ACTIONS, "MaintenanceDeadLetters"),
            ("sqs:SendMessage", "EventsQueue"),
        ),
    ),
}
