"""Swift source as the checks read it."""


def without_comments_and_strings(source):
    """The code alone, line for line: comments and strings become blank."""
    out, i, n = [], 0, len(source)
    blank = lambda text: "".join(c if c == "\n" else " " for c in text)
    while i < n:
        if source.startswith("//", i):
            end = source.find("\n", i)
            end = n if end < 0 else end
        elif source.startswith("/*", i):
            end = source.find("*/", i)
            end = n if end < 0 else end + 2
        elif source.startswith('"""', i):
            end = source.find('"""', i + 3)
            end = n if end < 0 else end + 3
        elif source[i] == '"':
            end = i + 1
            while end < n and source[end] not in '"\n':
                end += 2 if source[end] == "\\" else 1
            end = min(end + 1, n)
        else:
            out.append(source[i])
            i += 1
            continue
        out.append(blank(source[i:end]))
        i = end
    return "".join(out)


def closing(code, position):
    """The position after the bracket that closes the one at `position`."""
    pairs, open_brackets = {"(": ")", "[": "]", "{": "}"}, []
    for i in range(position, len(code)):
        if code[i] in pairs:
            open_brackets.append(pairs[code[i]])
        elif open_brackets and code[i] == open_brackets[-1]:
            open_brackets.pop()
            if not open_brackets:
                return i + 1
    return len(code)
