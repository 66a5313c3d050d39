"""A common spelling for types of Objective-C and Rust."""
import re
from collections import namedtuple

# base: the type without its nullability. elements: those of a collection. block: its parameters, each with whether it may be nil;
# None if it is no block.
Type = namedtuple("Type", "base nullable unspecified elements block sendable", defaults=(False, False, (), None, False))

# One name for types with several, in C, Objective-C and Rust.
NAMES = {
    "BOOL": "bool Bool Boolean _Bool",
    "id": "AnyObject",
    "SEL": "Sel",
    "Class": "AnyClass",
    "instancetype": "Self",
    "double": "f64 c_double Float64 CFTimeInterval NSTimeInterval CFAbsoluteTime CGFloat",
    "float": "f32 c_float Float32",
    "long": "NSInteger CFIndex isize c_long CMItemCount",
    "unsigned long": "NSUInteger usize size_t c_ulong CFTypeID CFOptionFlags CFHashCode",
    "int": "i32 int32_t c_int SInt32 OSStatus CVReturn",
    "unsigned int": "u32 uint32_t UInt32 c_uint OSType FourCharCode CFStringEncoding",
    "long long": "i64 int64_t SInt64 c_longlong",
    "unsigned long long": "u64 uint64_t UInt64 c_ulonglong",
    "short": "i16 int16_t SInt16",
    "unsigned short": "u16 uint16_t UInt16",
    "unsigned char": "u8 uint8_t UInt8 c_uchar",
    "char": "c_char CStr",
    "CGRect": "NSRect",
    "CGPoint": "NSPoint",
    "CGSize": "NSSize",
    "void": "c_void",
    "CFTypeRef": "CFType",
    "DispatchQueue": "dispatch_queue_t",
}
SAME = {name: one for one, names in NAMES.items() for name in names.split()} | {"": "void"}
# Types that are objects, or stand for one.
OBJECTS = {"AnyObject", "AnyClass", "DispatchQueue", "ObjectType", "KeyType", "AnchorType", "CFType", "Self"}


def same(base):
    base = re.sub(r"\s+", " ", base).strip()
    array = re.match(r"(.*)\[(\d+)\]$", base)
    if array:
        return f"{same(array[1])}[{array[2]}]"
    pointers = base.count("*")
    base = base.replace("*", "").strip()
    if base.endswith("Ref") and base != "CFTypeRef":
        base = base[:-3]
    base = re.sub(r"^CFMutable", "CF", base)
    return SAME.get(base, base) + " *" * pointers


def ours(spelled):
    """A type in Clang's spelling."""
    plain = re.sub(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)", "", spelled).strip()
    pointer = re.match(r"[^(]*\([\^*]\s*(_Nullable)?[^)]*\)\((.*)\)$", plain)
    if pointer:
        if "(*" in plain:
            return Type("function", bool(pointer[1]))
        taken = tuple((t.base, t.nullable) for t in map(ours, parts(pointer[2])) if t.base != "void")
        return Type("block", bool(pointer[1]), block=taken, sendable="@Sendable" in spelled)
    last = re.search(r"_(Nullable|Nonnull|Null_unspecified)(_result)?\s*$", plain)
    base = re.sub(r"_(Nullable|Nonnull|Null_unspecified)(_result)?", "", plain)
    base = re.sub(r"\bid<(\w+)>", lambda m: {"NSObject": "NSObjectProtocol"}.get(m[1], m[1]) + " *", base)
    elements = re.match(r"\w+<(.*)> ?\*", base)
    while re.search(r"<[^<>]*>", base):
        base = re.sub(r"<[^<>]*>", "", base)
    stars = base.count("*")
    name = base.replace("*", "").strip()
    # A pointer to an object, or to a protocol alone, is the object; one more star is an out-parameter.
    if stars and is_object(name):
        stars -= 1
    return Type(
        same(name + " *" * stars), bool(last and last[1] == "Nullable"), bool(last and last[1] == "Null_unspecified"),
        tuple(ours(one).base for one in parts(elements[1])) if elements else ())


def parts(text):
    """The elements of a list, split at commas outside of brackets."""
    found, depth, current = [], 0, ""
    for character in text:
        depth += (character in "<([") - (character in ">)]")
        if character == "," and depth == 0:
            found.append(current.strip())
            current = ""
        else:
            current += character
    return [*found, current.strip()] if current.strip() else found


def is_object(name):
    plain = ("NSInteger", "NSUInteger", "NSRange", "NSRect", "NSSize", "NSPoint")
    return bool(re.match(r"(NS|UI|AV|WK|CX|PK|PH|AS|CA|CI)[A-Z]", name)) and name not in plain


def theirs(spelled, facts):
    """A type in objc2's spelling. Its nullability is None if the type is an alias."""
    plain = re.sub(r"\s+", " ", spelled).strip().replace("&'static ", "&")
    nullable = False
    option = re.match(r"Option<\s*(.*?),?\s*>$", plain)
    if option:
        nullable, plain = True, option[1].strip()
    if "block2::" in plain:
        taken = parts(re.search(r"fn\((.*)\)", plain)[1])
        block = tuple((t.base, bool(t.nullable)) for t in (theirs(one, facts) for one in taken))
        return Type("block", nullable or plain.startswith("*"), block=block, sendable="SendableBlock" in plain)
    if re.match(r"(unsafe )?extern", plain):
        return Type("function", nullable)
    array = re.match(r"\[(.*); (\d+)\]$", plain)
    if array:
        return Type(same(f"{array[1]}[{array[2]}]"))
    stars, nullable = 0, nullable or plain.startswith("*")
    while True:
        match = re.match(r"(?:&mut |&|\*mut |\*const )(.*)$", plain)
        if match:
            stars, plain = stars + 1, match[1]
            continue
        match = re.match(r"(Retained|CFRetained|DispatchRetained|ProtocolObject|NonNull|Option)<\s*(?:dyn )?(.*?),?\s*>$", plain)
        if not match:
            break
        stars += match[1] in ("Retained", "CFRetained", "DispatchRetained", "NonNull")
        plain = match[2]
    generic = re.match(r"(\w+)<(.*)>$", plain)
    name = generic[1] if generic else plain.strip()
    elements = tuple(theirs("&" + one, facts).base for one in parts(generic[2])) if generic else ()
    is_named_block = "block2" in facts.aliases.get(name, "")
    if stars and (is_object(name) or name in OBJECTS or is_core_foundation(name, facts) or is_named_block):
        stars -= 1
    if name in facts.aliases and name not in facts.enums and not stars and not nullable:
        nullable = None
    return Type(same(name + " *" * stars), nullable, elements=elements)


def is_core_foundation(name, facts):
    """Whether it is a Core Foundation object, which the facts have as a pointee."""
    if not re.match(r"(CF|CM|CG|CV|VT|Sec)[A-Z]", name) or name in facts.fields:
        return False
    if name in facts.enums:
        return facts.enums[name]["raw"] == "CFString"
    return facts.aliases.get(name, "CF")[:2] in ("CF", "CM", "CV", "CG", "VT")


def of_result(spelled, facts):
    """The result of a method whose last parameter is an error."""
    inside = re.match(r"Result<\s*(.*),\s*Retained<NSError>\s*,?\s*>$", spelled)
    return theirs("bool" if inside and inside[1].strip() == "()" else inside[1] if inside else spelled, facts)


def value(text):
    """The value of a case, or None if it refers to another one."""
    text = re.sub(r"Self\((.*)\)$", r"\1", text)
    text = re.sub(r"as_?$|as_|asu?\w+$", "", text).replace("NSUIntegerMax", "0xFFFFFFFFFFFFFFFF").replace("_", "")
    try:
        return int(eval(text, {"__builtins__": {}})) if re.fullmatch(r"[-0-9a-fA-FxX<>|()+~ ]+", text) else None  # noqa: S307
    except (SyntaxError, NameError, TypeError):
        return None


AROUND = re.compile(r"(?:@\S+ )*(?:public )?(?:final )?(?:extension|struct|class|enum|protocol|open class) ([\w.]+)")
FACE = re.compile(
    r"\b(?:static |class |mutating |convenience |required |nonisolated )*"
    r"(func|var|let|init|subscript|struct|class|enum|protocol|typealias|associatedtype|case|operator)\b ?[^ {].*")


def faces(folder):
    """The declarations of the Swift overlays, for which there are no machine-readable facts, as lines of the list."""
    for path in sorted(folder.glob("*/*.swiftinterface")):
        module, around = path.parent.name, ""
        for line in path.read_text().splitlines():
            outer = AROUND.match(line)
            if outer:
                around = outer[1].split(".")[-1]
            found = FACE.search(line)
            if found and not line.lstrip().startswith("//"):
                words = re.sub(r"\s*\{.*$", "", found[0])
                page = "/".join(["developer.apple.com/documentation", module.lower(), *([around.lower()] if around else [])])
                yield f"{module} {around}: {words.strip()}\tSwift face\t{page}"
