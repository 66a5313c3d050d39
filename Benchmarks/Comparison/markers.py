"""Text between two markers of a page, which is made and not written.

    <!-- figures: NAME -->
    …
    <!-- end of figures -->

While there are no results for a table, its first marker ends in “, by hand”.
"""
import re

PATTERN = re.compile(r"<!-- figures: ([a-z]+)(, by hand)? -->\n(.*?)<!-- end of figures -->", re.DOTALL)


def updated(page, texts):
    """The page with `texts`, by name, between its markers."""
    def replaced(match):
        name, body = match[1], texts.get(match[1])
        return match[0] if body is None else f"<!-- figures: {name} -->\n{body}\n<!-- end of figures -->"
    return PATTERN.sub(replaced, page)


def complaints(page, wanted, texts):
    """What is wrong with a page that should have the tables `wanted`, of which `texts` has those that can be made."""
    found = {match[1]: match for match in PATTERN.finditer(page)}
    for name in wanted:
        if name not in found:
            yield f"there is no table between markers with the name “{name}”"
        elif name in texts and found[name][2]:
            yield f"the table “{name}” is still marked as written by hand, and there are results for it"
        elif name in texts and found[name][3] != texts[name] + "\n":
            yield f"the table “{name}” is not what Benchmarks/results.json makes of it"
        elif name not in texts and not found[name][2]:
            yield f"there are no results for the table “{name}”: only one that is marked “by hand” may be without"
