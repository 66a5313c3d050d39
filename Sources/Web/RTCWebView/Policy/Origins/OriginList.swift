/// A list of origins and patterns of origins that an app trusts.
public struct OriginList: Sendable, Hashable, ExpressibleByArrayLiteral {
    private enum Entry: Sendable, Hashable {
        case exactly(WebOrigin)
        /// All subdomains of a host, without the host itself.
        case below(host: String, scheme: String, port: UInt16?)
    }

    private var entries: Set<Entry> = []

    package init() {}

    /// Creates a list.
    ///
    /// - Parameter entries: Origins (`https://example.com`), and patterns for all subdomains (`https://*.example.com`).
    ///   Other entries are programming errors, and match nothing.
    public init(_ entries: [String]) {
        for entry in entries { insert(entry) }
    }

    public init(arrayLiteral elements: String...) { self.init(elements) }

    /// Adds an entry.
    ///
    /// - Returns: Whether the text is an origin or a pattern.
    @discardableResult
    package mutating func insert(_ entry: String) -> Bool {
        if let scheme = URLScheme(of: entry), let parent = parent(of: entry.dropFirst(scheme.name.count), scheme) {
            // A pattern for a whole top-level domain is never intended.
            guard parent.host.contains(".") else { return false }
            entries.insert(.below(host: parent.host, scheme: parent.scheme, port: parent.port))
            return true
        }
        guard let origin = WebOrigin(entry) else { return false }
        entries.insert(.exactly(origin))
        return true
    }

    /// The origin above the matching subdomains, from the pattern without its scheme.
    private func parent(of rest: Substring, _ scheme: URLScheme) -> WebOrigin? {
        let star = "://*."
        guard rest.hasPrefix(star) else { return nil }
        return WebOrigin("\(scheme)://\(rest.dropFirst(star.count))")
    }

    package var isEmpty: Bool { entries.isEmpty }

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
