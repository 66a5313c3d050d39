package import RTCWire

/// One request of a NAT discovery, with its purpose.
struct NATProbe: Sendable {
    enum Purpose: Sendable, Hashable {
        /// Test I of RFC 5780, sections 4.3 and 4.4, sent to each server.
        case server
        /// Section 4.3, test II: to the other address, same port.
        case otherAddress
        /// Section 4.3, test III.
        case otherAddressAndPort
        /// Test I from the second socket.
        case second
        /// Section 4.4, test II: asks for the response from the other address and port.
        case changeBoth
        /// Section 4.4, test III: asks for the response from the other port.
        case changePort
        /// Section 4.5: sent to our own external address.
        case hairpin
    }

    let purpose: Purpose
    let socket: NATDiscovery.Socket
    let remote: TransportAddress
    let transactionID: STUNTransactionID
    let began: Instant
    var transmissions = 0
    var deadline: Instant
    /// Whether it is to be sent.
    var isDue = true

    init(
        purpose: Purpose, socket: NATDiscovery.Socket, remote: TransportAddress, transactionID: STUNTransactionID,
        began: Instant
    ) {
        self.purpose = purpose
        self.socket = socket
        self.remote = remote
        self.transactionID = transactionID
        self.began = began
        deadline = began
    }

    /// Whether a response may come from `source`.
    func expects(_ source: TransportAddress) -> Bool {
        switch purpose {
        case .changeBoth: source.ip != remote.ip && source.port != remote.port || source == remote
        case .changePort: source.ip == remote.ip
        default: source == remote
        }
    }

    /// The flags of CHANGE-REQUEST (RFC 5780, section 7.2), if the request has one.
    ///
    /// ```
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// |0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 A B 0|
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// ```
    var changeRequest: UInt32? {
        switch purpose {
        case .changeBoth: 0b110
        case .changePort: 0b010
        default: nil
        }
    }
}

extension NATDiscovery {
    /// Fills `batch` with one request that is to be sent.
    ///
    /// - Returns: Whether there was one.
    package mutating func pollTransmit(into batch: inout TransmitBatch, at now: Instant) -> Bool {
        guard let index = probes.firstIndex(where: \.isDue) else { return false }
        let probe = probes[index]
        probes[index].isDue = false
        probes[index].transmissions += 1
        probes[index].deadline = now + retransmission.wait(afterTransmissions: probe.transmissions + 1)
        batch.path = TransportPath(socket: probe.socket.id, remote: probe.remote)
        var writer = STUNMessageWriter(batch.next, .request, .binding, probe.transactionID)
        if let flags = probe.changeRequest { writer.write(.changeRequest, flags) }
        writer.writeFingerprint()
        guard let size = writer.finish() else { return false }
        return batch.commit(size)
    }
}

extension STUNAttributeType {
    /// RFC 5780, section 7.2
    static var changeRequest: Self { Self(rawValue: 0x0003) }
    /// RFC 5780, section 7.4
    static var otherAddress: Self { Self(rawValue: 0x802C) }
}

extension STUNMessage {
    /// OTHER-ADDRESS (RFC 5780, section 7.4): the server's alternate address, in the format of MAPPED-ADDRESS.
    var otherAddress: TransportAddress? {
        guard let value = value(of: .otherAddress), let family = value.byte(at: 1), let port = value.uint16(at: 2)
        else { return nil }
        switch (family, value.byteCount) {
        case (1, 8), (2, 20):
            return IPAddress(bytes: value.extracting(4..<value.byteCount)).map { TransportAddress(ip: $0, port: port) }
        default: return nil
        }
    }
}
