/// Origins that an app names in its program: whom it trusts with something.
public struct OriginList: Sendable, Hashable, ExpressibleByArrayLiteral {
    private enum Entry: Sendable, Hashable {
        case exactly(WebOrigin)
        /// Every host below one, not that one itself.
        case below(host: String, scheme: String, port: UInt16?)
    }

    private var entries: Set<Entry> = []

    public init() {}

    /// - Parameter entries: Each of them an origin (`https://example.com`), or all hosts below one
    ///   (`https://*.example.com`). What is neither is a mistake of the program, and names nobody.
    public init(_ entries: [String]) {
        for entry in entries { insert(entry) }
    }

    public init(arrayLiteral elements: String...) { self.init(elements) }

    /// - Returns: Whether the text was an origin or a pattern of them.
    @discardableResult
    public mutating func insert(_ entry: String) -> Bool {
        if let scheme = URLScheme(of: entry), let parent = parent(of: entry.dropFirst(scheme.name.count), scheme) {
            // A pattern for a whole top-level domain is nobody's wish.
            guard parent.host.contains(".") else { return false }
            entries.insert(.below(host: parent.host, scheme: parent.scheme, port: parent.port))
            return true
        }
        guard let origin = WebOrigin(entry) else { return false }
        entries.insert(.exactly(origin))
        return true
    }

    /// The origin whose sub-hosts are meant, by what follows the scheme.
    private func parent(of rest: Substring, _ scheme: URLScheme) -> WebOrigin? {
        let star = "://*."
        guard rest.hasPrefix(star) else { return nil }
        return WebOrigin("\(scheme)://\(rest.dropFirst(star.count))")
    }

    public var isEmpty: Bool { entries.isEmpty }

    public func contains(_ origin: WebOrigin) -> Bool {
        if entries.contains(.exactly(origin)) { return true }
        var host = Substring(origin.host)
        while let point = host.firstIndex(of: ".") {
            host = host[host.index(after: point)...]
            if entries.contains(.below(host: String(host), scheme: origin.scheme, port: origin.port)) { return true }
        }
        return false
    }
}
