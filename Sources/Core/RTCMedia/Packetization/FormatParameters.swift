/// The parameters of an `a=fmtp` line: `name=value` pairs between semicolons, in their order (RFC 8866, section 6.15;
/// each payload format's own section for what they mean).
///
/// Names are compared without regard to case. A value without a name, such as the `0-15` of telephone events, is kept
/// as a name without a value.
@usableFromInline package struct FormatParameters: Sendable, Hashable, CustomStringConvertible {
    /// The limit on parameters: an absurdly long line is truncated.
    static let limit = 64

    private var pairs: [Pair] = []

    private struct Pair: Sendable, Hashable {
        var name: String
        var value: String?
    }

    @usableFromInline package init() {}

    /// Parses the text after the payload type in `a=fmtp`. Parsing never fails; invalid parts are ignored.
    @usableFromInline package init(_ text: String) {
        for part in text.split(separator: ";", maxSplits: Self.limit).prefix(Self.limit) {
            let part = part.trimmed
            guard !part.isEmpty else { continue }
            if let equals = part.firstIndex(of: "=") {
                let value = part[part.index(after: equals)...].trimmed
                pairs.append(Pair(name: String(part[..<equals].trimmed), value: String(value)))
            } else {
                pairs.append(Pair(name: String(part), value: nil))
            }
        }
    }

    /// The first value with this name; setting it replaces the value in its place, appends it, or removes it.
    @usableFromInline package subscript(name: String) -> String? {
        get { index(of: name).flatMap { pairs[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): pairs[index].value = value
            case (let index?, nil): pairs.remove(at: index)
            case (nil, let value?): pairs.append(Pair(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The value as a number, or `nil` when it is missing or none.
    @usableFromInline package func integer(_ name: String) -> Int? {
        self[name].flatMap { Int($0) }
    }

    /// Whether the value is 1, as flags are written.
    @usableFromInline package func flag(_ name: String) -> Bool {
        integer(name) == 1
    }

    /// `name=value;name=value`
    @usableFromInline package var description: String {
        pairs.map { pair in pair.value.map { "\(pair.name)=\($0)" } ?? pair.name }.joined(separator: ";")
    }

    private func index(of name: String) -> Int? {
        let name = name.lowercased()
        return pairs.firstIndex { $0.name.lowercased() == name }
    }
}

extension Substring {
    /// The text without white space at either end.
    fileprivate var trimmed: Substring {
        var rest = self
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return rest
    }
}
