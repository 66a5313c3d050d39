"""Facts about Apple's SDK from two public repositories, each given as the path of a checkout or of its git directory.

madsmtm/objc2-generated has classes, selectors, nullability, threads and enumerations, generated from Apple's macOS headers.
dotnet/macios has the versions of iOS and macOS that introduced declarations, written by its maintainers and checked against
Xcode.
"""
import bisect
import io
import re
import subprocess
import tarfile


def files(repository, paths):
    """The files in some folders of a repository's newest commit: name → text."""
    packed = subprocess.run(["git", "-C", repository, "archive", "HEAD", *paths], capture_output=True)
    if packed.returncode:
        raise SystemExit(f"facts: {repository} is not the repository: {packed.stderr.decode()[:300]}")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        return {m.name: archive.extractfile(m).read().decode() for m in archive if m.isfile()}


def names_in(repository, *folder):
    said = subprocess.run(["git", "-C", repository, "ls-tree", "--name-only", "HEAD", *folder], capture_output=True, text=True)
    if said.returncode:
        raise SystemExit(f"facts: {repository} is no git repository: {said.stderr[:300]}")
    return said.stdout.split()


def commit(repository):
    return subprocess.run(["git", "-C", repository, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()


def split(text):
    """The elements of a list, split at commas outside of brackets."""
    parts, depth, current = [], 0, ""
    for index, character in enumerate(text):
        if character in "<([{":
            depth += 1
        if character in ")]}" or (character == ">" and text[index - 1] != "-"):
            depth -= 1
        if character == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    return [*parts, current.strip()] if current.strip() else parts


def closing(text, start, opening="(", end=")"):
    depth = 0
    for index in range(start, len(text)):
        depth += (text[index] == opening) - (text[index] == end)
        if depth == 0:
            return index
    return len(text)


class Facts:
    """The facts of objc2-generated."""

    def __init__(self, repository, frameworks):
        self.classes, self.protocols, self.methods, self.unavailable = {}, {}, {}, {}
        self.enums, self.values, self.constants, self.functions, self.fields = {}, {}, {}, {}, {}
        self.conforms, self.sendable, self.aliases = {}, set(), {}
        self.frameworks = [name for name in frameworks if name in names_in(repository)]
        for name, text in files(repository, self.frameworks).items():
            if name.endswith(".rs"):
                self.read(re.sub(r"^\s*//[/!].*\n", "", text, flags=re.M))

    def above(self, name):
        """A class and its superclasses."""
        return [name, *self.classes.get(name, {}).get("above", [])]

    def inherited(self, protocol):
        found = [protocol]
        for above in self.protocols.get(protocol, {}).get("inherits", []):
            found += self.inherited(above)
        return found

    def method(self, owner, selector):
        """The facts of a method, as declared by its class, a superclass or one of their protocols."""
        names = self.above(owner) if owner in self.classes else self.inherited(owner)
        for name in names:
            if selector in self.methods.get(name, {}):
                return self.methods[name][selector]
        for name in self.above(owner):
            for protocol in self.conforms.get(name, ()):
                for inherited in self.inherited(protocol):
                    if selector in self.methods.get(inherited, {}):
                        return self.methods[inherited][selector]
        return None

    def read(self, text):
        marks = []
        for match in re.finditer(r"extern_class!\(", text):
            body = text[match.end():closing(text, match.end() - 1)]
            name = re.search(r"pub struct (\w+)", body)[1]
            above = re.search(r"super\(([^)]*)\)", body)
            self.classes[name] = dict(
                above=[part.split("<")[0] for part in split(above[1])] if above else [], main="MainThreadOnly" in body,
                deprecated="#[deprecated" in body)
        for match in re.finditer(r"unsafe impl\b[^{};]*? (\w+)(?:<[^{}]*?>)? for (\w+)", text):
            if match[1] == "Send":
                self.sendable.add(match[2])
            self.conforms.setdefault(match[2], set()).add(match[1])
        for match in re.finditer(r"extern_protocol!\(", text):
            body = text[match.end():closing(text, match.end() - 1)]
            head = re.search(r"trait (\w+)\s*(?::([^{]*))?\{", body)
            bounds = [part.strip() for part in (head[2] or "").split("+") if part.strip()]
            self.protocols[head[1]] = dict(
                inherits=[b for b in bounds if b != "MainThreadOnly"], main="MainThreadOnly" in bounds,
                deprecated="#[deprecated" in body[:head.start()])
            marks.append((match.start(), head[1]))
        for match in re.finditer(r"\nimpl(?:<[^{]*?>)? (\w+)(?:<[^{]*?>)? \{", text):
            marks.append((match.start(), match[1]))
        for match in re.finditer(r"extern_category!\(", text):
            implementor = re.search(r"unsafe impl \w+ for (\w+)", text[match.end():])
            marks.append((match.start(), implementor[1]))
        marks.sort()
        places = [place for place, _ in marks]

        def owner(position):
            place = bisect.bisect_right(places, position)
            return marks[place - 1][1] if place else None

        for match in re.finditer(r"#\[unsafe\(method\(([^)]*)\)\)\]", text):
            head = re.compile(r"fn (?:r#)?\w+(?:<.*?>)?\(", re.S).search(text, match.end())
            end = closing(text, head.end() - 1)
            returned = re.compile(r"\s*(?:->\s*(.*?))?\s*(?:where\s.*?)?;", re.S).match(text, end + 1)
            parameters = split(re.sub(r"\s+", " ", text[head.end():end]))
            of_class = not any(p == "&self" or p.startswith("this:") for p in parameters)
            parameters = [p for p in parameters if p != "&self" and not p.startswith("this:") and "MainThreadMarker" not in p]
            around = text[max(0, text.rfind(";", 0, match.start())):head.start()]
            selector = match[1].strip()
            self.methods.setdefault(owner(match.start()), {})[("+" if of_class else "-") + selector.rstrip("_")] = dict(
                parameters=[p.partition(":")[2].strip() for p in parameters],
                returns=re.sub(r"\s+", " ", returned[1] or "").strip() if returned else "",
                optional="#[optional]" in around, deprecated="#[deprecated" in around, error=selector.endswith("_"))
        for match in re.finditer(r"// ([-+])(\S+) \(unavailable\)", text):
            self.unavailable.setdefault(owner(match.start()), set()).add(match[1] + match[2])
        self.read_values(text)

    def read_values(self, text):
        for match in re.finditer(r"pub type (\w+) =\s*([^;]*);", text):
            self.aliases[match[1]] = re.sub(r"\s+", " ", match[2])
        for match in re.finditer(r"// NS_(\w*ENUM|OPTIONS)\n", text):
            head = re.compile(r"pub (?:struct|type) (\w+)\s*(?:\(pub (\w+)\)|=\s*([^;]*))?").search(text, match.end())
            if head and match[1] != "CLOSED_ENUM":
                self.enums[head[1]] = dict(kind="NS_" + match[1], raw=head[2] or head[3])
        for match in re.finditer(
                r'#\[doc\(\s*alias = "(\w+)"\s*\)\](?:\s*#\[[^\]]*\])*\s*(?:pub )?const (?:r#)?\w+(?:: Self)? = (.*?);', text, re.S):
            kind = re.match(r"impl (\w+)", text[text.rfind("impl ", 0, match.start()):])
            self.values[match[1]] = dict(value=re.sub(r"\s+", "", match[2]), of=kind[1] if kind else None)
        # Closed enumerations are enumerations in Rust too.
        for match in re.finditer(
                r"// NS_CLOSED_ENUM\n(?:#\[.*\]\n)*#\[repr\((\w+)\)\]\n(?:#\[.*\]\n)*pub enum (\w+) \{([^}]*)\}", text):
            self.enums[match[2]] = dict(kind="NS_CLOSED_ENUM", raw=match[1])
            for name, value in re.findall(r'alias = "(\w+)"\s*\)\]\s*\w+ = (-?\w+),', match[3]):
                self.values[name] = dict(value=value, of=match[2])
        for match in re.finditer(r"pub const (\w+): (\w+) = (.*?);", text, re.S):
            if match[2] != "Self":
                self.values.setdefault(match[1], dict(value=re.sub(r"\s+", "", match[3]), of=match[2]))
        for match in re.finditer(r"pub static (\w+): (.*?);", text, re.S):
            self.constants[match[1]] = re.sub(r"\s+", " ", match[2])
        for match in re.finditer(r'extern "C(?:-unwind)?" \{', text):
            end = closing(text, match.end() - 1, "{", "}")
            for found in re.finditer(r"fn (\w+)(?:<.*?>)?\(", text[match.end():end]):
                start = match.end() + found.end() - 1
                stop = closing(text, start)
                returned = re.compile(r"\s*(?:->\s*(.*?))?;", re.S).match(text, stop + 1)
                kind = re.sub(r"\s+", " ", returned[1] or "").strip() if returned else ""
                # A non-null result is unwrapped right after the call.
                if "returning non-null" in text[end:end + 400].split("\n}")[0].split("extern")[0]:
                    kind = re.sub(r"^\*mut ", "&", re.sub(r"^Option<(.*)>$", r"\1", kind))
                parameters = split(re.sub(r"\s+", " ", text[start + 1:stop]))
                self.functions[found[1]] = dict(
                    parameters=[each.partition(":")[2].strip() for each in parameters], returns=kind)
        for match in re.finditer(r"pub struct (\w+) \{([^}]*)\}", text):
            body = re.sub(r"#\[[^\]]*\]", "", match[2])
            fields = re.findall(r"pub (?:r#)?(?:\(crate\) )?(\w+): ([^,]+),", body)
            if fields:
                self.fields[match[1]] = {name: kind.strip() for name, kind in fields}


class Versions:
    """The facts of macios: the version of iOS and macOS that introduced a class or a member. None: not available. Least: the
    oldest supported version."""

    least = dict(ios=(12, 2), macos=(12, 0))

    def __init__(self, repository, frameworks):
        special = {
            "QuartzCore": ["coreanimation"], "AVFAudio": ["avfoundation"], "UIKit": ["uikit", "xkit"], "AppKit": ["appkit", "xkit"]}
        names = [f"src/{name}.cs" for framework in frameworks for name in special.get(framework, [framework.lower()])]
        known = names_in(repository, "src/")
        self.types, self.members, self.fields = {}, {}, {}
        for text in files(repository, sorted({n for n in names if n in known})).values():
            self.read(text)

    @staticmethod
    def said(attributes):
        result = {}
        for system, words in (("ios", "iOS"), ("macos", "Mac")):
            numbers = re.search(rf"\b{words} \((\d+), (\d+)(?:, \d+)?\)", attributes)
            if numbers:
                result[system] = (int(numbers[1]), int(numbers[2]))
            if re.search(rf"\bNo{words}\b", attributes):
                result[system] = None
        return result

    def read(self, text):
        text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        for match in re.finditer(r"\b(?:interface|enum) (\w+)[^{;]*\{", text):
            end = closing(text, match.end() - 1, "{", "}")
            before = text[max(text.rfind(mark, 0, match.start()) for mark in ";{}") + 1:match.start()]
            base = re.search(r'BaseType \(typeof \([^)]*\)(?:.*?)Name = "(\w+)"', before)
            name = base[1] if base else match[1]
            if "[Category]" in before:
                category = re.search(r"BaseType \(typeof \((\w+)\)", before)
                name = category[1] if category else name
            else:
                self.types.setdefault(name, self.said(before))
            body = text[match.end():end]
            lines = body.split("\n")
            for index, line in enumerate(lines):
                member = re.search(r'\b(Export|Field) \("([\w:]+)"', line)
                if not member:
                    continue
                first = last = index
                while first and re.match(r"\s*(\[|$)", lines[first - 1]):
                    first -= 1
                while last + 1 < len(lines) and re.match(r"\s*\[", lines[last + 1]):
                    last += 1
                said = self.said("\n".join(lines[first:last + 1]))
                if member[1] == "Export":
                    self.members.setdefault(name, {}).setdefault(member[2], said)
                else:
                    self.fields.setdefault(member[2], said)
