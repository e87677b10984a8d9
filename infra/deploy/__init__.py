"""Takes the package to an AWS account, or to whatever the AWS variables name, and away again."""
