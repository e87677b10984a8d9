"""Write the recorded examples of the reference (`python -m tests.builders.examples`)."""

from tests.builders.examples.files import write_examples
from tests.builders.examples.play import recorded_examples
from tests.builders.in_process_aws import in_process_aws
from tests.builders.stack.msgspec_types import build_type_descriptions

if __name__ == "__main__":
    build_type_descriptions()
    with in_process_aws() as aws:
        write_examples(recorded_examples(aws))
