"""All that a service has stored, as one text."""

from typing import Any

from tests.builders.service import Service


def stored_text(service: Service) -> str:
    """Return every item and every object version of the stack as one text."""
    s3 = service.clients.s3
    found: list[Any] = []
    listed = s3.list_object_versions(Bucket=service.settings.bucket)
    for version in listed.get("Versions", []):
        body = s3.get_object(
            Bucket=service.settings.bucket, Key=version["Key"], VersionId=version["VersionId"]
        )["Body"].read()
        found += [version["Key"], body]
    for table in (service.settings.main_table, service.settings.transient_table):
        found += service.clients.dynamodb.scan(TableName=table)["Items"]
    return as_text(found)


def as_text(value: Any) -> str:
    """Return a value as text, with bytes and escaped JSON decoded."""
    if isinstance(value, dict):
        return " ".join(f"{as_text(name)} {as_text(member)}" for name, member in value.items())
    if isinstance(value, list | tuple):
        return " ".join(map(as_text, value))
    if isinstance(value, bytes | bytearray):
        return as_text(bytes(value).decode(errors="replace"))
    text = str(value)
    return f"{text} {text.encode('latin-1', 'ignore').decode('unicode_escape', 'ignore')}"
