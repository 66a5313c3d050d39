import RTCTransport
import RTCWire

/// A TURN server for the tests, without sockets and without a clock: RFC 8656 with the authentication of RFC 8489,
/// SHA-256 included, and a lever for each of its moods.
final class TURNTestServer {
    struct Settings {
        var realm = "test.local"
        var users = ["alice": "secret"]
        /// Whether anybody may allocate.
        var isOpen = false
        /// The numbers in PASSWORD-ALGORITHMS, in the server's order; none for a server before RFC 8489.
        var algorithms: [UInt16] = []
        /// Demands USERHASH.
        var hidesNames = false
        /// The bits of the nonce cookie are counted from the right, as erratum 6290 has it.
        var countsFromTheRight = false
        var lifetime: UInt32 = 600
        var relay4: IPAddress? = IPAddress(203, 0, 113, 1)
        var relay6 = IPAddress("2001:db8::7")
        var quota = 100
        /// Errors carry no integrity, as some servers' do not.
        var protectsErrors = true
        var permissionLifetime = TimeDelta.seconds(300)
        var channelLifetime = TimeDelta.seconds(600)
    }

    enum Output {
        case toClient(TransportAddress, [UInt8])
        case toPeer(from: TransportAddress, to: TransportAddress, [UInt8])
    }

    struct Allocation {
        let username: String
        let relayed: [TransportAddress]
        var expires: Instant
        var permissions: [IPAddress: Instant] = [:]
        var channels: [UInt16: (peer: TransportAddress, until: Instant)] = [:]
    }

    var settings = Settings()
    private(set) var allocations: [TransportAddress: Allocation] = [:]
    private var nonceNumber = 1
    private var nextPort: UInt16 = 50_000
    private let crypto = STUNTestCrypto()
    private let random = SeededRandom(seed: 77)

    /// What came, method by method; challenges included.
    private(set) var requests: [STUNMethod] = []
    private(set) var indications = 0
    private(set) var channelMessages = 0
    /// An answer in place of the true one: an error for this request.
    var refusal: (STUNMethod) -> STUNError? = { _ in nil }
    /// Sent to in place of this server.
    var alternate: TransportAddress?
    /// ALTERNATE-DOMAIN, as it is.
    var alternateDomain: [UInt8]?
    /// Changes a response before it leaves, or holds it back.
    var forge: ([UInt8]) -> [UInt8]? = { $0 }

    // MARK: Moods

    func staleNonce() { nonceNumber += 1 }

    /// As if the process had ended and begun again.
    func restart() {
        allocations = [:]
        nonceNumber += 100
    }

    private var nonce: [UInt8] {
        var text = Array("nonce\(nonceNumber)".utf8)
        if !settings.algorithms.isEmpty || settings.hidesNames {
            var flags: UInt32 = 0
            if !settings.algorithms.isEmpty { flags |= settings.countsFromTheRight ? 1 : 0x80_0000 }
            if settings.hidesNames { flags |= settings.countsFromTheRight ? 2 : 0x40_0000 }
            let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
            text = Array("obMatJos2".utf8) + [18, 12, 6, 0].map { digits[Int(flags >> $0 & 63)] } + text
        }
        return text
    }

    private var algorithmsValue: [UInt8] {
        settings.algorithms.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0), 0, 0] }
    }

    // MARK: From the client

    func receive(_ bytes: [UInt8], from client: TransportAddress, at now: Instant) -> [Output] {
        expire(at: now)
        if let first = bytes.first, (64...79).contains(first) { return relayChannelData(bytes, from: client) }
        return bytes.withUnsafeBytes { memory -> [Output] in
            guard let message = STUNMessage(memory.bytes) else { return [] }
            if message.messageClass == .indication {
                indications += 1
                return relayIndication(message, from: client)
            }
            guard message.messageClass == .request else { return [] }
            requests.append(message.method)
            guard let answer = answer(message, from: client, at: now).flatMap(forge) else { return [] }
            return [.toClient(client, answer)]
        }
    }

    private func answer(_ message: borrowing STUNMessage, from client: TransportAddress, at now: Instant) -> [UInt8]? {
        let id = message.transactionID
        let method = message.method
        if let alternate, method == .allocate {
            return stunMessage(.errorResponse, method, id) { writer in
                writer.write(.tryAlternate)
                var value: [UInt8] = [0, alternate.ip.isIPv4 ? 1 : 2]
                value.append(bigEndian: alternate.port)
                writer.write(.alternateServer, value + alternate.ip.bytes)
                if let alternateDomain { writer.write(.alternateDomain, alternateDomain) }
            }
        }
        var key: [UInt8] = []
        var username = ""
        if !settings.isOpen {
            guard message.hasIntegrity, let nonce = message.value(of: .nonce)?.array else {
                return challenge(.unauthenticated, method, id)
            }
            guard nonce == self.nonce else { return challenge(.staleNonce, method, id) }
            guard let user = user(of: message) else { return challenge(.unauthenticated, method, id) }
            guard let made = makeKey(user, message) else { return error(.badRequest, method, id, key: nil) }
            key = made
            let isRight =
                settings.algorithms.isEmpty
                ? message.verifyMessageIntegrity(key: key, crypto: crypto)
                : message.verifyMessageIntegritySHA256(key: key, crypto: crypto)
            guard isRight else { return challenge(.unauthenticated, method, id) }
            username = user
        }
        if let refusal = refusal(method) { return error(refusal, method, id, key: settings.protectsErrors ? key : nil) }
        if method != .allocate {
            guard let allocation = allocations[client] else { return error(.allocationMismatch, method, id, key: key) }
            guard allocation.username == username else { return error(.wrongCredentials, method, id, key: key) }
        }
        switch method {
        case .allocate: return allocate(message, client, username, key, at: now)
        case .refresh: return refresh(message, client, key, at: now)
        case .createPermission: return permit(message, client, key, at: now)
        case .channelBind: return bind(message, client, key, at: now)
        default: return error(.badRequest, method, id, key: key)
        }
    }

    // MARK: Authentication

    private func challenge(_ error: STUNError, _ method: STUNMethod, _ id: STUNTransactionID) -> [UInt8]? {
        stunMessage(.errorResponse, method, id) { writer in
            writer.write(error)
            writer.write(.realm, settings.realm)
            writer.write(.nonce, nonce)
            if !settings.algorithms.isEmpty { writer.write(.passwordAlgorithms, algorithmsValue) }
        }
    }

    private func user(of message: borrowing STUNMessage) -> String? {
        if settings.hidesNames {
            guard !message.has(.username), let hash = message.value(of: .userhash)?.array else { return nil }
            return settings.users.keys.first {
                STUNCredentials.userhash(username: $0, realm: settings.realm, crypto: crypto) == hash
            }
        }
        guard let bytes = message.username?.array else { return nil }
        let name = String(decoding: bytes, as: UTF8.self)
        return settings.users[name] == nil ? nil : name
    }

    /// RFC 8489, section 9.2.4: what was offered must come back, and one of it must have been chosen.
    private func makeKey(_ user: String, _ message: borrowing STUNMessage) -> [UInt8]? {
        let password = settings.users[user] ?? ""
        guard !settings.algorithms.isEmpty else {
            return STUNCredentials.longTermKey(
                username: user, realm: settings.realm, password: password, crypto: crypto)
        }
        guard message.value(of: .passwordAlgorithms)?.array == algorithmsValue,
            let chosen = message.value(of: .passwordAlgorithm)?.uint16(at: 0), settings.algorithms.contains(chosen)
        else { return nil }
        return chosen == 2
            ? STUNCredentials.longTermKeySHA256(
                username: user, realm: settings.realm, password: password, crypto: crypto)
            : STUNCredentials.longTermKey(username: user, realm: settings.realm, password: password, crypto: crypto)
    }

    private func protect(_ writer: inout STUNMessageWriter, _ key: [UInt8]?) {
        guard let key, !key.isEmpty else { return }
        if settings.algorithms.isEmpty {
            writer.writeMessageIntegrity(key: key, crypto: crypto)
        } else {
            writer.writeMessageIntegritySHA256(key: key, crypto: crypto)
        }
    }

    private func error(
        _ error: STUNError, _ method: STUNMethod, _ id: STUNTransactionID, key: [UInt8]?
    ) -> [UInt8]? {
        stunMessage(.errorResponse, method, id) { writer in
            writer.write(error)
            protect(&writer, key)
        }
    }

    // MARK: Requests

    private func allocate(
        _ message: borrowing STUNMessage, _ client: TransportAddress, _ username: String, _ key: [UInt8],
        at now: Instant
    ) -> [UInt8]? {
        let (method, id) = (message.method, message.transactionID)
        guard allocations[client] == nil else { return error(.allocationMismatch, method, id, key: key) }
        guard allocations.count < settings.quota else { return error(.allocationQuotaReached, method, id, key: key) }
        guard message.uint32(.requestedTransport) == 17 << 24 else {
            return error(.unsupportedTransport, method, id, key: key)
        }
        let wantsOnly6 = message.uint32(.requestedAddressFamily) == 2 << 24
        let wantsBoth = message.uint32(.additionalAddressFamily) == 2 << 24
        var addresses: [IPAddress] = []
        if !wantsOnly6, let ip = settings.relay4 { addresses.append(ip) }
        if wantsOnly6 || wantsBoth, let ip = settings.relay6 { addresses.append(ip) }
        guard !addresses.isEmpty else { return error(.addressFamilyNotSupported, method, id, key: key) }
        let relayed = addresses.map { ip in
            nextPort += 1
            return TransportAddress(ip: ip, port: nextPort)
        }
        allocations[client] = Allocation(
            username: username, relayed: relayed, expires: now + .seconds(Int64(settings.lifetime)))
        return stunMessage(.successResponse, method, id) { writer in
            for address in relayed { writer.write(.xorRelayedAddress, xor: address) }
            writer.write(.xorMappedAddress, xor: client)
            writer.write(.lifetime, settings.lifetime)
            protect(&writer, key)
        }
    }

    private func refresh(
        _ message: borrowing STUNMessage, _ client: TransportAddress, _ key: [UInt8], at now: Instant
    ) -> [UInt8]? {
        let lifetime = message.uint32(.lifetime) ?? settings.lifetime
        if lifetime == 0 {
            allocations[client] = nil
        } else {
            allocations[client]?.expires = now + .seconds(Int64(settings.lifetime))
        }
        return stunMessage(.successResponse, message.method, message.transactionID) { writer in
            writer.write(.lifetime, lifetime == 0 ? 0 : settings.lifetime)
            protect(&writer, key)
        }
    }

    private func permit(
        _ message: borrowing STUNMessage, _ client: TransportAddress, _ key: [UInt8], at now: Instant
    ) -> [UInt8]? {
        guard let peer = message.xorAddress(.xorPeerAddress) else {
            return error(.badRequest, message.method, message.transactionID, key: key)
        }
        guard allocations[client]?.relayed.contains(where: { $0.ip.isIPv4 == peer.ip.isIPv4 }) == true else {
            return error(.peerAddressFamilyMismatch, message.method, message.transactionID, key: key)
        }
        allocations[client]?.permissions[peer.ip] = now + settings.permissionLifetime
        return stunMessage(.successResponse, message.method, message.transactionID) { protect(&$0, key) }
    }

    private func bind(
        _ message: borrowing STUNMessage, _ client: TransportAddress, _ key: [UInt8], at now: Instant
    ) -> [UInt8]? {
        let (method, id) = (message.method, message.transactionID)
        guard let peer = message.xorAddress(.xorPeerAddress), let word = message.uint32(.channelNumber),
            let allocation = allocations[client]
        else { return error(.badRequest, method, id, key: key) }
        let number = UInt16(word >> 16)
        let isTaken = allocation.channels.contains {
            ($0.key == number) != ($0.value.peer == peer)
        }
        guard (0x4000...0x4FFF).contains(number), !isTaken else { return error(.badRequest, method, id, key: key) }
        allocations[client]?.channels[number] = (peer, now + settings.channelLifetime)
        allocations[client]?.permissions[peer.ip] = now + settings.permissionLifetime
        return stunMessage(.successResponse, method, id) { protect(&$0, key) }
    }

    private func expire(at now: Instant) {
        for (client, allocation) in allocations {
            if allocation.expires <= now {
                allocations[client] = nil
                continue
            }
            allocations[client]?.permissions = allocation.permissions.filter { $0.value > now }
            allocations[client]?.channels = allocation.channels.filter { $0.value.until > now }
        }
    }

    // MARK: Relaying

    private func relay(_ data: [UInt8], from client: TransportAddress, to peer: TransportAddress) -> [Output] {
        guard let allocation = allocations[client], allocation.permissions[peer.ip] != nil,
            let relayed = allocation.relayed.first(where: { $0.ip.isIPv4 == peer.ip.isIPv4 })
        else { return [] }
        return [.toPeer(from: relayed, to: peer, data)]
    }

    private func relayIndication(_ message: borrowing STUNMessage, from client: TransportAddress) -> [Output] {
        guard message.method == .send, let peer = message.xorAddress(.xorPeerAddress),
            let data = message.value(of: .data)?.array
        else { return [] }
        return relay(data, from: client, to: peer)
    }

    private func relayChannelData(_ bytes: [UInt8], from client: TransportAddress) -> [Output] {
        channelMessages += 1
        return bytes.withUnsafeBytes { memory in
            guard let message = TURNChannelData(memory.bytes),
                let channel = allocations[client]?.channels[message.channel]
            else { return [] }
            return relay(Array(memory[message.data]), from: client, to: channel.peer)
        }
    }

    /// A packet at one of the relayed addresses.
    func receive(_ data: [UInt8], from peer: TransportAddress, to relayed: TransportAddress, at now: Instant)
        -> [Output]
    {
        expire(at: now)
        guard let (client, allocation) = allocations.first(where: { $0.value.relayed.contains(relayed) }),
            allocation.permissions[peer.ip] != nil
        else { return [] }
        if let number = allocation.channels.first(where: { $0.value.peer == peer })?.key {
            var bytes: [UInt8] = []
            bytes.append(bigEndian: number)
            bytes.append(bigEndian: UInt16(truncatingIfNeeded: data.count))
            return [.toClient(client, bytes + data)]
        }
        let id = STUNTransactionID.random(from: random)
        let message = stunMessage(.indication, .data, id) { writer in
            writer.write(.xorPeerAddress, xor: peer)
            writer.write(.data, data)
        }
        return message.map { [.toClient(client, $0)] } ?? []
    }

    func isRelayed(_ address: TransportAddress) -> Bool {
        allocations.values.contains { $0.relayed.contains(address) }
    }
}
