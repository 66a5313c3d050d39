import Foundation
import RTCTransport
import RTCWire
import Testing

/// Which pair of NATs connects how: tried one by one, and written into docs/ice.md.
@Suite("ICE: the table of NATs")
struct ICENATTableTests {
    private enum Kind: String, CaseIterable {
        case none = "no NAT"
        case fullCone = "full cone"
        case addressRestricted = "address-restricted"
        case portRestricted = "port-restricted"
        case symmetric
        case doublePortRestricted = "two port-restricted"
        case doubleSymmetric = "symmetric behind port-restricted"
        case udpBlocked = "UDP to servers only"
    }

    /// Puts a node behind a NAT of this kind.
    private func place(_ node: ICETestNode, _ kind: Kind, _ number: Int, _ network: ICETestNetwork) {
        let outside = "198.51.100.\(number)"
        let (inner, outer) = (number * 10, number * 10 + 1)
        switch kind {
        case .none:
            node.addSocket(1, "192.0.2.\(number):1000")
            return
        case .fullCone: network.addNAT(.fullCone, realm: inner, address: outside)
        case .addressRestricted: network.addNAT(.addressRestricted, realm: inner, address: outside)
        case .portRestricted, .udpBlocked: network.addNAT(.portRestricted, realm: inner, address: outside)
        case .symmetric: network.addNAT(.symmetric, realm: inner, address: outside)
        case .doublePortRestricted:
            network.addNAT(.portRestricted, realm: outer, address: outside)
            network.addNAT(.portRestricted, realm: inner, address: "100.64.\(number).1", parent: outer)
        case .doubleSymmetric:
            network.addNAT(.portRestricted, realm: outer, address: outside)
            network.addNAT(.symmetric, realm: inner, address: "100.64.\(number).1", parent: outer)
        }
        node.addSocket(1, "10.0.\(number).5:1000", realm: inner)
    }

    private static let stun = "203.0.113.100:3478"
    private static let turn = "203.0.113.200:3478"

    /// How the two meet: the types of the left one's and the right one's candidate, or `nil`.
    private func meet(
        _ network: ICETestNetwork, _ pair: ICETestPair, relays: Bool
    ) -> (left: ICECandidateType, right: ICECandidateType)? {
        let stun = network.addSTUNServer(Self.stun)
        _ = network.addTURNServer(Self.turn)
        for node in [pair.left, pair.right] {
            node.agent.addSTUNServer(stun, at: network.now)
            if relays { node.addTURNServer(Self.turn) }
        }
        guard pair.connect(within: .seconds(35)) else { return nil }
        network.run(for: .seconds(5))
        // Both ways, and through whatever relays.
        for _ in 0..<5 {
            pair.left.sendData([100])
            pair.right.sendData([101])
            network.run(for: .milliseconds(100))
        }
        #expect(pair.left.received.count == 5 && pair.right.received.count == 5)
        guard let left = type(pair.left), let right = type(pair.right) else { return nil }
        return (left, right)
    }

    private func type(_ node: ICETestNode) -> ICECandidateType? {
        let statistics = node.statistics
        let selected = statistics.candidatePairs.first { $0.id == statistics.selectedCandidatePairID }
        return statistics.localCandidates.first { $0.id == selected?.localCandidateID }?.candidate.type
    }

    private func connect(_ left: Kind, _ right: Kind, relays: Bool) -> String? {
        let pair = ICETestPair(sockets: false)
        place(pair.left, left, 1, pair.network)
        place(pair.right, right, 2, pair.network)
        // A firewall that lets UDP to known servers pass, and nothing else.
        let blocked = [left, right].enumerated().filter { $0.element == .udpBlocked }.map { $0.offset + 1 }
        let servers = [Self.stun, Self.turn].map(iceAddress)
        pair.network.isBlocked = { from, to in
            blocked.contains { from.ip == IPAddress(10, 0, UInt8($0), 5) } && !servers.contains(to)
        }
        guard let types = meet(pair.network, pair, relays: relays) else { return nil }
        return "\(types.left.rawValue)–\(types.right.rawValue)"
    }

    @Test("Every pair of kinds meets with a relay; the table in docs/ice.md says which need it")
    func table() throws {
        let kinds = Kind.allCases
        var lines = ["| | " + kinds.map(\.rawValue).joined(separator: " | ") + " |"]
        lines.append("|" + String(repeating: " --- |", count: kinds.count + 1))
        for left in kinds {
            var cells: [String] = []
            for right in kinds {
                let direct = connect(left, right, relays: false)
                let relayed = connect(left, right, relays: true)
                #expect(relayed != nil, "\(left.rawValue) and \(right.rawValue)")
                if let direct {
                    // A relay that is not needed is not used.
                    #expect(
                        relayed?.contains("relay") == false, "\(left.rawValue) and \(right.rawValue): \(relayed ?? "")")
                    cells.append(direct)
                } else {
                    cells.append("**relay**")
                }
            }
            lines.append("| **\(left.rawValue)** | " + cells.joined(separator: " | ") + " |")
        }
        try compare(lines, "nat-table")
    }

    @Test("Two behind one NAT: by their host candidates; kept apart, by a hairpin; without one, by a relay")
    func sameNAT() throws {
        var lines = ["| behind one NAT | hairpin | without a relay | with one |", "| --- | --- | --- | --- |"]
        for kind in [ICETestNetwork.NATKind.fullCone, .portRestricted, .symmetric] {
            for (isApart, hairpins) in [(false, false), (true, true), (true, false)] {
                var cells: [String] = []
                for relays in [false, true] {
                    let pair = ICETestPair(sockets: false)
                    let network = pair.network
                    // Guests of one network that may not talk to each other directly: realms of their own behind the NAT.
                    network.addNAT(kind, realm: 10, address: "198.51.100.1", hairpins: hairpins)
                    pair.left.addSocket(1, "10.0.1.5:1000", realm: 10)
                    pair.right.addSocket(1, "10.0.1.6:1000", realm: 10)
                    if isApart {
                        network.isBlocked = { from, to in
                            [from, to].allSatisfy { $0.ip == IPAddress(10, 0, 1, 5) || $0.ip == IPAddress(10, 0, 1, 6) }
                        }
                    }
                    let types = meet(network, pair, relays: relays)
                    cells.append(types.map { "\($0.left.rawValue)–\($0.right.rawValue)" } ?? "—")
                }
                #expect(cells[1] != "—")
                let name = isApart ? "\(kind), hosts kept apart" : "\(kind)"
                lines.append("| \(name) | \(hairpins ? "yes" : "no") | \(cells[0]) | \(cells[1]) |")
            }
        }
        try compare(lines, "nat-table-same")
    }

    /// The lines between the marks in docs/ice.md. `DUET_WRITE_TABLES=1` writes them.
    private func compare(_ lines: [String], _ name: String) throws {
        var root = URL(filePath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let page = root.appending(path: "docs/ice.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let (begin, end) = ("<!-- \(name) -->\n", "<!-- end of \(name) -->")
        let start = try #require(text.range(of: begin))
        let stop = try #require(text.range(of: end))
        let made = lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["DUET_WRITE_TABLES"] != nil {
            let new = text.replacingCharacters(in: start.upperBound..<stop.lowerBound, with: made)
            try new.write(to: page, atomically: true, encoding: .utf8)
        } else {
            #expect(String(text[start.upperBound..<stop.lowerBound]) == made)
        }
    }
}
