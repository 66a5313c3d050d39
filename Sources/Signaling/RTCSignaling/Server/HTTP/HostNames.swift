/// The names by which browsers may ask for a server.
///
/// A page of somebody else's can give its own name the address of this server (DNS rebinding), and is then, for the browser, a page
/// of this server's. Whoever asks by an address or by `localhost` was not misled by a name; any other name has to be known.
struct HostNames: Sendable {
    private var names: Set<String> = ["localhost"]
    /// Those that begin with `*.`, without the asterisk: they stand for one more label.
    private var endings: Set<String> = []
    private var isOpen = false

    /// - Parameter names: In ASCII, without a port. `*.example.org` stands for all names directly below it, `*` for all.
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

    /// - Parameter authority: What a request's `Host` says: a name or an address, and perhaps a port.
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

    /// - Returns: An IPv6 address with its brackets; `nil` for what is no authority.
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

    /// An address as browsers write it in `Host`, whatever the person has typed.
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
