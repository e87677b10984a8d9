"""Reference of the service's own invoice rules: complete and without others."""

import re
from pathlib import Path

from chalicelib import engine
from chalicelib.contract.invoice.constraints import PLT_RULES, plt_rules_markdown

ENGINE = Path(engine.__file__).parent


def test_every_rule_of_the_service_is_in_the_reference() -> None:
    sources = (path.read_text(encoding="utf-8") for path in ENGINE.rglob("*.py"))
    used = {rule for source in sources for rule in re.findall(r'"(PLT-[A-Z-]+)"', source)}

    assert used == PLT_RULES.keys()


def test_the_reference_says_what_each_means() -> None:
    lines = plt_rules_markdown().splitlines()

    assert len(lines) == len(PLT_RULES)
    assert "- `PLT-LINE-ID`: a line has no id, and its position is another line's id" in lines
