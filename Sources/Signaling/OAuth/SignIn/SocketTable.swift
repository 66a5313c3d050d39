/// Linux's table of this machine's TCP sockets, `/proc/net/tcp` or `tcp6`, as far as it says whose they are.
struct SocketTable {
    /// An end of a connection.
    struct End: Hashable {
        /// 4 or 16 bytes, in the order of the network.
        let address: [UInt8]
        let port: Int

        /// As the table has it: each 32 bits as a number of this machine's.
        fileprivate var text: String {
            let words = stride(from: 0, to: address.count, by: 4).map { start in
                address[start...].prefix(4).withUnsafeBytes { bytes in
                    bytes.count == 4 ? bytes.loadUnaligned(as: UInt32.self) : 0
                }
            }
            return words.map { Self.hex($0, 8) }.joined() + ":" + Self.hex(UInt32(port), 4)
        }

        /// The same machine and port as a socket of IPv6 sees them.
        fileprivate var mapped: End {
            address.count == 4
                ? End(address: [UInt8](repeating: 0, count: 10) + [255, 255] + address, port: port) : self
        }

        private static func hex(_ number: UInt32, _ width: Int) -> String {
            let digits = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
    }

    /// Whose the sockets are, by both ends.
    private var owners: [String: UInt32] = [:]

    /// - Parameters:
    ///   - text: One table behind the other.
    ///   - port: Sockets that have nothing to do with this one are passed over.
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

    /// The number of the user who has the socket with this end; `nil` where there is none.
    func owner(of end: End, connectedTo other: End) -> UInt32? {
        owners["\(end.text) \(other.text)"] ?? owners["\(end.mapped.text) \(other.mapped.text)"]
    }

    /// Whether somebody on the other side of a connection of ours may be answered: we ourselves, or the system. A socket that
    /// its owner has closed is the system's too, whoever that was: nobody reads an answer there, and what it asked proves nothing.
    ///
    /// - Returns: `true` where the table does not tell: it lacks our own side too.
    func mayAnswer(_ other: End, at own: End, user: UInt32) -> Bool {
        guard let owner = owner(of: other, connectedTo: own) else { return owner(of: own, connectedTo: other) == nil }
        return owner == user || owner == 0
    }
}
