/// The names under which browsers may access a server.
///
/// A page of another site can point its own name at this server's address (DNS rebinding), and then has, for the browser, this
/// server's origin. Addresses and `localhost` cannot be misused like that; other names have to be known.
struct HostNames: Sendable {
    private var names: Set<String> = ["localhost"]
    /// The suffixes of names with a leading `*.`, which matches one label.
    private var endings: Set<String> = []
    private var isOpen = false

    /// - Parameter names: In ASCII, without a port. `*.example.org` matches all names directly below it, `*` matches all.
    init(_ names: some Sequence<String>) {
        for name in names {
            let name = Self.normalized(name)
            if name == "*" {
                isOpen = true
            } else if name.hasPrefix("*.") {
                endings.insert(String(name.dropFirst()))
            } else {
                self.names.insert(name)
            }
        }
    }

    /// - Parameter authority: The request's `Host`: a name or an address, with an optional port.
    func contains(_ authority: String) -> Bool {
        if isOpen { return true }
        guard let host = Self.host(of: authority) else { return false }
        if Self.isAddress(host) || names.contains(host) { return true }
        guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
        return endings.contains(String(host[dot...]))
    }

    private static func normalized(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    /// - Returns: The host, an IPv6 address with brackets; `nil` for an invalid authority.
    private static func host(of authority: String) -> String? {
        var host = authority[...]
        let end = host.hasPrefix("[") ? host.firstIndex(of: "]").map(host.index(after:)) : host.firstIndex(of: ":")
        if let end, end < host.endIndex {
            guard host[end] == ":", host[end...].dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            host = host[..<end]
        }
        return host.isEmpty ? nil : normalized(String(host))
    }

    /// Whether the host is an address, in the notation that browsers use in `Host`.
    private static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            let inside = host.dropFirst().dropLast()
            return host.hasSuffix("]") && inside.contains(":")
                && inside.allSatisfy { $0.isHexDigit || ":.".contains($0) }
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { (1...3).contains($0.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }
}
