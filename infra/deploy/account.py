"""AWS account, region and session of the environment."""

from dataclasses import dataclass
from typing import Any, Final, Self

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from infra.deploy.stack import DeployError

NO_REGION: Final = "no region is set: export AWS_DEFAULT_REGION=eu-central-1"


@dataclass(frozen=True, slots=True)
class AwsAccount:
    """AWS account and region of a deployment."""

    id: str
    region: str
    session: boto3.session.Session

    @classmethod
    def from_environment(cls) -> Self:
        """Return the account of the current credentials; raises DeployError if they are not set."""
        try:
            session = boto3.session.Session()
        except BotoCoreError as error:
            message = f"{error}; set AWS_PROFILE to one that `aws configure list-profiles` names"
            raise DeployError(message) from error
        region = session.region_name
        if not region:
            raise DeployError(NO_REGION)
        try:
            identity = session.client("sts").get_caller_identity()
        except (BotoCoreError, ClientError) as error:
            message = f"AWS does not know who this is ({error}); set credentials as for the AWS CLI"
            raise DeployError(message) from error
        return cls(identity["Account"], region, session)

    @property
    def artifacts_bucket_name(self) -> str:
        """Return the name of the bucket that the stages of this account and region share."""
        return f"platen-artifacts-{self.id}-{self.region}"

    def ensure_artifacts_bucket(self) -> str:
        """Return the bucket for archives and templates, created if absent; raises DeployError."""
        name = self.artifacts_bucket_name
        s3 = self.session.client("s3")
        try:
            # Bucket names are global: one that another account owns must not get our packages.
            s3.head_bucket(Bucket=name, ExpectedBucketOwner=self.id)
        except ClientError as error:
            if error.response["Error"]["Code"] != "404":
                raise DeployError(f"the bucket {name} cannot be used: {error}") from error
        else:
            return name
        # S3 refuses a location constraint in us-east-1 and needs one in every other region.
        location: Any = {"CreateBucketConfiguration": {"LocationConstraint": self.region}}
        s3.create_bucket(Bucket=name, **({} if self.region == "us-east-1" else location))
        s3.put_public_access_block(
            Bucket=name,
            PublicAccessBlockConfiguration={
                "BlockPublicAcls": True,
                "BlockPublicPolicy": True,
                "IgnorePublicAcls": True,
                "RestrictPublicBuckets": True,
            },
        )
        return name
