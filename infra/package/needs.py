"""Needs of each function: settings, layers and grants (permissions on AWS).

The check before each deployment reads this table, and a test proves that every role has exactly
these grants. A grant is (action, resource); its limit follows after a space: a partition key, or
the field of an encryption context.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from chalicelib.bootstrap.work import WORK, Work
from chalicelib.features.answers.repository import ANSWER_FIELD
from chalicelib.features.signed_links.model import LINK_SECRET_FIELD
from chalicelib.features.webhooks.endpoints.secrets import REQUEST_SECRET_FIELD
from chalicelib.settings import (
    ApiSettings,
    EngineSettings,
    PdfToolsSettings,
    SchemasSettings,
    ValidateSettings,
)

type Grant = tuple[str, str]


@dataclass(frozen=True, slots=True)
class FunctionNeeds:
    """Settings, grants and layers of one function."""

    settings: tuple[str, ...]
    grants: frozenset[Grant]
    layers: frozenset[str] = frozenset()


def _grants(*rows: Grant) -> frozenset[Grant]:
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


def _needs_of_work(row: Work) -> FunctionNeeds:
    return FunctionNeeds(
        settings=row.all_settings,
        grants=_grants(_LOG_ACTIONS, *row.all_grants),
        layers=frozenset(row.layers),
    )


NEEDS: Final[Mapping[str, FunctionNeeds]] = {
    "APIHandler": FunctionNeeds(
        settings=tuple(ApiSettings.__annotations__),
        layers=frozenset({"PagesLayer", "GuidesLayer", "ConsoleLayer"}),
        grants=_grants(
            _LOG_ACTIONS,
            ("dynamodb:GetItem BatchGetItem PutItem UpdateItem", "MainTable"),
            ("dynamodb:DeleteItem", "MainTable WS#*#TPL#*"),
            ("dynamodb:DeleteItem", "MainTable WS#*#WHE"),
            ("dynamodb:DeleteItem", "MainTable WS#*#EMC"),
            ("dynamodb:DeleteItem", "MainTable WS#*#DST"),
            ("dynamodb:Query", "MainTable WS#*#WH*"),
            ("dynamodb:Query", "MainTable WS#*#EM*"),
            ("dynamodb:Query", "MainTable WS#*#DST"),
            ("kms:GenerateDataKey", "DataKey"),
            ("kms:Decrypt", f"DataKey {REQUEST_SECRET_FIELD}"),
            ("kms:Decrypt", f"DataKey {LINK_SECRET_FIELD}"),
            ("kms:Decrypt", f"DataKey {ANSWER_FIELD}"),
            ("dynamodb:GetItem BatchGetItem PutItem UpdateItem DeleteItem", "TransientTable"),
            ("dynamodb:Query", "${MainTable.Arn}/index/lists"),
            ("dynamodb:Query", "MainTable WS#*#USE#*"),
            ("dynamodb:Query", "MainTable WS#*#LIM"),
            ("dynamodb:Query", "MainTable WS#*#BAT*"),
            ("dynamodb:Query", "MainTable WS#*#RND#*"),
            ("s3:GetObject DeleteObject", "${FilesBucket.Arn}/ws/*"),
            ("s3:PutObject DeleteObject", "${FilesBucket.Arn}/tmp/*"),
            ("s3:PutObject", "${FilesBucket.Arn}/ws/*/templates/*"),
            ("s3:PutObject", "${FilesBucket.Arn}/ws/*/batches/*"),
            ("s3:GetObject", "${FilesBucket.Arn}/tmp/uploads/*"),
            ("s3:GetObject", "${FilesBucket.Arn}/tmp/answers/*"),
            ("s3:GetObject", "${FilesBucket.Arn}/log/*"),
            ("s3:GetObject", "${FilesBucket.Arn}/tmp/ws/*/engine/*"),
            ("sqs:SendMessage GetQueueAttributes", "RendersQueue"),
            ("sqs:SendMessage GetQueueAttributes", "RendersLowQueue"),
            ("sqs:SendMessage GetQueueAttributes", "EventsQueue"),
            ("sqs:SendMessage GetQueueAttributes", "WebhooksQueue"),
            ("sqs:SendMessage GetQueueAttributes", "BatchesQueue"),
            ("sqs:SendMessage GetQueueAttributes", "EmailsQueue"),
            ("lambda:InvokeFunction", "RenderFunction"),
            ("lambda:InvokeFunction", "EngineFunction"),
            ("lambda:InvokeFunction", "PdfToolsFunction"),
            ("lambda:InvokeFunction", "SchemasFunction"),
            ("lambda:InvokeFunction", "SendEmailFunction"),
            ("lambda:InvokeFunction", "UploadFilesFunction"),
            ("secretsmanager:GetSecretValue", "SigningSecret"),
        ),
    ),
    "EngineFunction": FunctionNeeds(
        settings=tuple(EngineSettings.__annotations__),
        layers=frozenset({"ChromiumLayer", "PackedFontsLayer"}),
        grants=_grants(_LOG_ACTIONS),
    ),
    "PdfToolsFunction": FunctionNeeds(
        settings=tuple(PdfToolsSettings.__annotations__),
        layers=frozenset({"FontsLayer"}),
        grants=_grants(_LOG_ACTIONS),
    ),
    "SchemasFunction": FunctionNeeds(
        settings=tuple(SchemasSettings.__annotations__),
        grants=_grants(_LOG_ACTIONS),
    ),
    "ValidateFunction": FunctionNeeds(
        settings=tuple(ValidateSettings.__annotations__),
        layers=frozenset({"ValidatorsLayer"}),
        grants=_grants(_LOG_ACTIONS),
    ),
    **{row.function: _needs_of_work(row) for row in WORK.values()},
}
