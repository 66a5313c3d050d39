/// Linux's table of TCP sockets, `/proc/net/tcp` or `tcp6`, for the owner of each.
struct SocketTable {
    /// One end of a connection.
    struct End: Hashable {
        /// 4 or 16 bytes, in network byte order.
        let address: [UInt8]
        let port: Int

        /// The notation of the table: each 32 bits as a number in host byte order.
        fileprivate var text: String {
            let words = stride(from: 0, to: address.count, by: 4).map { start in
                address[start...].prefix(4).withUnsafeBytes { bytes in
                    bytes.count == 4 ? bytes.loadUnaligned(as: UInt32.self) : 0
                }
            }
            return words.map { Self.hex($0, 8) }.joined() + ":" + Self.hex(UInt32(port), 4)
        }

        /// The IPv4-mapped form of the same address and port, as an IPv6 socket reports it.
        fileprivate var mapped: End {
            address.count == 4
                ? End(address: [UInt8](repeating: 0, count: 10) + [255, 255] + address, port: port) : self
        }

        private static func hex(_ number: UInt32, _ width: Int) -> String {
            let digits = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
    }

    /// The user of each socket, by both ends.
    private var owners: [String: UInt32] = [:]

    /// - Parameters:
    ///   - text: The tables, one after the other.
    ///   - port: Only sockets with this port are read.
    init(_ text: some StringProtocol, port: Int) {
        let ending = End(address: [], port: port).text
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 8)
            guard fields.count > 7, fields[1].hasSuffix(ending) || fields[2].hasSuffix(ending),
                let owner = UInt32(fields[7])
            else { continue }
            owners["\(fields[1]) \(fields[2])"] = owner
        }
    }

    /// The user ID of the socket with this end; `nil` if there is none.
    func owner(of end: End, connectedTo other: End) -> UInt32? {
        owners["\(end.text) \(other.text)"] ?? owners["\(end.mapped.text) \(other.mapped.text)"]
    }

    /// Returns whether the other end of a connection may get a response: one of this user, or of the system. A closed socket
    /// belongs to the system too, whoever closed it: nobody reads the response there, and its request proves nothing.
    ///
    /// - Returns: `true` if the table cannot be used because it lacks our own socket.
    func mayAnswer(_ other: End, at own: End, user: UInt32) -> Bool {
        guard let owner = owner(of: other, connectedTo: own) else { return owner(of: own, connectedTo: other) == nil }
        return owner == user || owner == 0
    }
}
