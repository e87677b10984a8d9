"""The page of tolerated names has the table of the contract."""

from pathlib import Path

from tests.builders.tolerated_names import table

PAGE = Path("docs/tolerated-names.md")


def test_page_has_the_table_of_the_contract() -> None:
    written = "\n".join(
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")
    )

    assert written == table(), f"the table of {PAGE} is now:\n{table()}"
