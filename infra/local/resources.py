"""Creation of tables, bucket, queues, key and secret from the template, at any AWS endpoint.

What is there already is used: a stack that is kept creates its resources at each start.
"""

import json
import secrets
import string
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from graphlib import TopologicalSorter
from typing import Any, Final

from infra.template import IntrinsicResolver, references


class ResourceError(Exception):
    """An existing resource differs from the declared one."""


type ResourceAttributes = dict[str, str]
type ClientFactory = Callable[[str], Any]


def create_resources(
    template: Mapping[str, Any],
    clients: ClientFactory,
    stack_name: str,
    *,
    parameters: Mapping[str, str] | None = None,
    region: str = "us-east-1",
    max_workers: int = 8,
) -> dict[str, ResourceAttributes]:
    """Create the resources of a template; return `Ref` and attributes by logical id.

    `clients(service)` returns a boto3 client; `max_workers` resources are created at a time.
    Functions are only named, so that other resources can refer to them. Other serverless types and
    resources with `Metadata.PlatenLocal.Skip` are left out. An unknown type raises KeyError.
    """
    resources: Mapping[str, Any] = template["Resources"]
    scalars = {
        "AWS::StackName": stack_name,
        "AWS::Region": region,
        **(parameters or {}),
    }
    created = {
        name: _function_attributes(stack_name, name, region)
        for name, resource in resources.items()
        if resource.get("Type") == "AWS::Serverless::Function"
    }
    resolver = IntrinsicResolver(template, parameters=scalars, attributes=created)
    declared = {name: resource for name, resource in resources.items() if _is_created(resource)}

    def create(name: str) -> ResourceAttributes:
        resource = declared[name]
        properties = resolver.resolve(resource["Properties"])
        physical = f"{stack_name}-{name.lower()}"
        return CREATORS[resource["Type"]](clients, physical, properties)

    order = _creation_order(declared)
    with ThreadPoolExecutor(max_workers=max_workers) as threads:
        while order.is_active():
            ready = order.get_ready()
            created.update(zip(ready, threads.map(create, ready), strict=True))
            order.done(*ready)
    return created


def _creation_order(declared: Mapping[str, Any]) -> "TopologicalSorter[str]":
    """Return a prepared sorter in which a resource comes after those that it refers to."""
    order = TopologicalSorter(
        {
            name: references(resource["Properties"]) & declared.keys() - {name}
            for name, resource in declared.items()
        },
    )
    order.prepare()
    return order


def function_name(stack_name: str, logical_id: str) -> str:
    """Return the physical name of a function."""
    return f"{stack_name}-{logical_id}"


def _function_attributes(stack_name: str, logical_id: str, region: str) -> ResourceAttributes:
    name = function_name(stack_name, logical_id)
    return {"Ref": name, "Arn": f"arn:aws:lambda:{region}:000000000000:function:{name}"}


def _is_created(resource: Mapping[str, Any]) -> bool:
    kind = str(resource.get("Type", "AWS::Serverless::"))
    hints = resource.get("Metadata", {}).get("PlatenLocal", {})
    return not kind.startswith("AWS::Serverless::") and "Skip" not in hints


def _create_table(
    clients: ClientFactory, _name: str, properties: Mapping[str, Any]
) -> ResourceAttributes:
    dynamodb = clients("dynamodb")
    keys = ("TableName", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")
    request = {key: properties[key] for key in (*keys, "BillingMode") if key in properties}
    name = properties["TableName"]
    try:
        described = dynamodb.create_table(**request)["TableDescription"]
    except dynamodb.exceptions.ResourceInUseException:
        described = dynamodb.describe_table(TableName=name)["Table"]
        _check_table(name, described, properties)
    else:
        if ttl := properties.get("TimeToLiveSpecification"):
            dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification=ttl)
    return {"Ref": name, "Arn": described["TableArn"]}


def _check_table(name: str, described: Mapping[str, Any], declared: Mapping[str, Any]) -> None:
    """Raise ResourceError unless a table has the keys and the indexes that are declared."""
    if _keys_of(described) != _keys_of(declared):
        raise ResourceError(f"the table {name} has other keys or indexes than this release needs")


def _keys_of(table: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    indexes = table.get("GlobalSecondaryIndexes", ())
    schemas = [("", table["KeySchema"]), *((x["IndexName"], x["KeySchema"]) for x in indexes)]
    return sorted(
        (name, [(each["AttributeName"], each["KeyType"]) for each in schema])
        for name, schema in schemas
    )


def _create_bucket(
    clients: ClientFactory, name: str, properties: Mapping[str, Any]
) -> ResourceAttributes:
    s3 = clients("s3")
    s3.create_bucket(Bucket=name)
    if cors := properties.get("CorsConfiguration"):
        # CloudFormation calls this MaxAge; the API calls it otherwise.
        rules = [
            {("MaxAgeSeconds" if key == "MaxAge" else key): value for key, value in rule.items()}
            for rule in cors["CorsRules"]
        ]
        s3.put_bucket_cors(Bucket=name, CORSConfiguration={"CORSRules": rules})
    return {"Ref": name, "Arn": f"arn:aws:s3:::{name}"}


def _create_queue(
    clients: ClientFactory, name: str, properties: Mapping[str, Any]
) -> ResourceAttributes:
    sqs = clients("sqs")
    attributes = {
        key: json.dumps(value)
        if isinstance(value, dict)
        else str(value).lower()
        if isinstance(value, bool)
        else str(value)
        for key, value in properties.items()
    }
    url = sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
    response = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    return {"Ref": url, "Arn": response["Attributes"]["QueueArn"], "QueueName": name}


def _create_key(
    clients: ClientFactory, name: str, properties: Mapping[str, Any]
) -> ResourceAttributes:
    kms = clients("kms")
    # A key has no name of its own by which it could be found again.
    alias = f"alias/{name}"
    try:
        found = kms.describe_key(KeyId=alias)["KeyMetadata"]
    except kms.exceptions.NotFoundException:
        description = properties.get("Description", "")
        found = kms.create_key(Description=description)["KeyMetadata"]
        kms.create_alias(AliasName=alias, TargetKeyId=found["KeyId"])
    return {"Ref": found["KeyId"], "Arn": found["Arn"]}


def _create_secret(
    clients: ClientFactory, name: str, properties: Mapping[str, Any]
) -> ResourceAttributes:
    manager = clients("secretsmanager")
    text = properties.get("SecretString") or _random_text(properties["GenerateSecretString"])
    try:
        arn = manager.create_secret(Name=name, SecretString=text)["ARN"]
    except manager.exceptions.ResourceExistsException:
        arn = manager.describe_secret(SecretId=name)["ARN"]
    return {"Ref": arn, "Id": arn}


def _random_text(options: Mapping[str, Any]) -> str:
    alphabet = string.ascii_letters + string.digits
    if not options.get("ExcludePunctuation"):
        alphabet += string.punctuation
    return "".join(secrets.choice(alphabet) for _ in range(options.get("PasswordLength", 32)))


CREATORS: Final[
    Mapping[str, Callable[[ClientFactory, str, Mapping[str, Any]], ResourceAttributes]]
] = {
    "AWS::DynamoDB::Table": _create_table,
    "AWS::KMS::Key": _create_key,
    "AWS::S3::Bucket": _create_bucket,
    "AWS::SQS::Queue": _create_queue,
    "AWS::SecretsManager::Secret": _create_secret,
}
