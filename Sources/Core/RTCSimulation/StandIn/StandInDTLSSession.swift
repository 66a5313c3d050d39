package import RTCTransport
package import RTCWire

/// A DTLS endpoint of ``StandInCrypto``: the flights, timers, states and records of DTLS without its cryptography.
///
/// As with DTLS 1.3, the client is connected after one round trip and the server after one and a half; with 1.2 the
/// client needs two. A lost flight is sent again after the configuration's `initialTimeout`, doubled each time, and
/// at once when the peer repeats the flight that it answers.
package final class StandInDTLSSession: DTLSSession {
    package private(set) var state: DTLSSessionState = .idle
    package private(set) var srtpProfile: SRTPProfile?
    package private(set) var parameters: DTLSParameters?
    package private(set) var droppedRecords = 0

    private let configuration: DTLSConfiguration
    private let certificate: [UInt8]
    private let random: [UInt8]
    private let clientHelloSize: Int

    private var role = DTLSRole.client
    /// The latest time passed to the session.
    private var now = Instant.zero
    private var accepts: ((_ certificateDER: [UInt8]) -> Bool)?

    /// The received fragments of the expected flight.
    private var assembly: StandInFlightAssembly?
    private var expected: StandInFlight?
    /// Our latest flight, kept for retransmission.
    private var flight: (number: StandInFlight, bytes: [UInt8])?
    private var retransmission: Retransmission?
    /// The peer's certificate, until ``verifyPeer(_:)`` decides about it.
    private var unverified: [UInt8]?
    private var clientRandom: [UInt8] = []
    private var master: UInt64 = 0

    private var plainSequence: UInt64 = 0
    private var outbox = RingBuffer<[UInt8]>()
    private var sending: StandInRecordProtection?
    private var receiving: StandInRecordProtection?
    /// Protected datagrams that arrived before the end of the handshake.
    private var early: [[UInt8]] = []
    private var inbox = Inbox()

    init(_ configuration: DTLSConfiguration, certificate: [UInt8], random: [UInt8], clientHelloSize: Int) {
        self.configuration = configuration
        self.certificate = certificate
        self.random = random
        self.clientHelloSize = clientHelloSize
    }

    package var nextDeadline: Instant? { retransmission.map { min($0.next, $0.end) } }

    package func start(as role: DTLSRole, at now: Instant) {
        guard state == .idle else { return }
        self.now = now
        self.role = role
        state = .handshaking
        switch role {
        case .client:
            clientRandom = random
            let hello = StandInClientHello(
                minimumVersion: configuration.minimumVersion, maximumVersion: configuration.maximumVersion,
                random: random, profiles: configuration.srtpProfiles.prefix(255).map(\.rawValue))
            expected = .serverAnswer
            send(.clientHello, hello.write(size: clientHelloSize), awaitingAnswer: true)
        case .server: expected = .clientHello
        }
    }

    package func receive(_ datagram: RawSpan, at now: Instant) {
        self.now = max(self.now, now)
        guard state == .handshaking || state == .connected else { return }
        datagram.withUnsafeBytes { receive($0) }
    }

    package func handleTimeout(at now: Instant) {
        self.now = max(self.now, now)
        guard let due = retransmission else { return }
        if now >= due.end {
            // In the connected state only the last acknowledgement is missing: detecting a dead path is not the task of
            // DTLS.
            if state == .connected { retransmission = nil } else { fail(.timedOut, alert: nil) }
            return
        }
        guard now >= due.next else { return }
        retransmission?.interval = min(due.interval * 2, .seconds(60))
        retransmission?.next = now + min(due.interval * 2, .seconds(60))
        sendFlight()
    }

    package func verifyPeer(_ accepts: @escaping (_ certificateDER: [UInt8]) -> Bool) {
        guard state == .idle || state == .handshaking else { return }
        self.accepts = accepts
        verify()
    }

    package func pollTransmit(into batch: inout TransmitBatch) -> Bool {
        var appended = false
        while let datagram = outbox.first, datagram.withUnsafeBytes({ batch.append($0) }) {
            outbox.popFirst()
            appended = true
        }
        return appended
    }

    package func readApplicationData(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        inbox.read(into: buffer, dropped: &droppedRecords)
    }

    package var sealOverhead: Int {
        sending?.overhead ?? StandInRecordProtection.overhead(of: .v12)
    }

    package func seal(_ plaintext: UnsafeRawBufferPointer, into batch: inout TransmitBatch) -> Bool {
        guard state == .connected, let overhead = sending?.overhead, batch.room >= plaintext.count + overhead,
            plaintext.count <= StandInRecordProtection.maximumContent
        else { return false }
        let size = sending?.seal(.applicationData, plaintext, into: batch.next) ?? 0
        return batch.commit(size)
    }

    package func exportKeyingMaterial(label: String, count: Int) -> [UInt8]? {
        guard state == .connected, count >= 0 else { return nil }
        var hash = StandInHash(state: master)
        hash.absorb(Array(label.utf8))
        return hash.bytes(count)
    }

    package func close(at now: Instant) {
        self.now = max(self.now, now)
        switch state {
        case .handshaking, .connected: end(.closed, alert: .closeNotify)
        case .idle: end(.closed, alert: nil)
        case .closed, .failed: break
        }
    }
}

// MARK: - Receiving

extension StandInDTLSSession {
    private func receive(_ datagram: UnsafeRawBufferPointer) {
        guard let first = datagram.first else { return }
        let isProtected =
            datagram.count >= 5
            && (first >> 5 == 1 || ((20...23).contains(first) && datagram[3] == 0 && datagram[4] == 1))
        if isProtected { receiveProtected(datagram) } else { receivePlain(Array(datagram)[...]) }
    }

    /// Opens all records of a datagram. Our own implementation never mixes protected records with others.
    private func receiveProtected(_ datagram: UnsafeRawBufferPointer) {
        guard receiving != nil, state == .connected else {
            // Records after the handshake may overtake its last flight.
            if early.count < 8, datagram.count <= 4_096 { early.append(Array(datagram)) } else { droppedRecords += 1 }
            return
        }
        var rest = datagram
        while !rest.isEmpty, state == .connected {
            guard let opened = inbox.open(rest, with: &receiving) else {
                droppedRecords += 1
                return
            }
            switch opened {
            case .dropped(let size):
                droppedRecords += 1
                rest = UnsafeRawBufferPointer(rebasing: rest[size...])
            case .record(let type, let count, let size):
                rest = UnsafeRawBufferPointer(rebasing: rest[size...])
                switch StandInContentType(rawValue: type) {
                case .applicationData:
                    inbox.keep(count)
                    // The peer sends application data, so it has received our last flight.
                    if role == .client { retransmission = nil }
                case .alert where count == 2: handleAlert(inbox.peek(at: 1))
                default: droppedRecords += 1
                }
            }
        }
    }

    private func receivePlain(_ datagram: ArraySlice<UInt8>) {
        var rest = datagram
        while !rest.isEmpty, state == .handshaking || state == .connected {
            let record = StandInPlainRecord.read(rest)
            rest = rest.dropFirst(record.size)
            switch record.type {
            case .handshake: receiveFragment(record.body)
            // Once connected, an unprotected alert could come from anyone.
            case .alert where record.body.count == 2 && state == .handshaking: handleAlert(record.body.last ?? 0)
            default: droppedRecords += 1
            }
        }
    }

    private func handleAlert(_ description: UInt8) {
        end(description == Alert.closeNotify.rawValue ? .closed : .failed(.alert(description)), alert: nil)
    }

    private func receiveFragment(_ fragment: ArraySlice<UInt8>) {
        guard let (number, isFirst) = StandInFlightAssembly.identify(fragment) else {
            droppedRecords += 1
            return
        }
        guard number == expected else {
            // The peer retransmits the flight that our latest one answered, so ours was lost.
            if isFirst, let flight, flight.number.rawValue == number.rawValue + 1 { sendFlight() }
            return
        }
        guard let bytes = StandInFlightAssembly.add(fragment, to: &assembly) else { return }
        assembly = nil
        expected = nil
        retransmission = nil
        switch number {
        case .clientHello: handleClientHello(bytes)
        case .serverAnswer: handleServerAnswer(bytes)
        case .clientProof: handleClientProof(bytes)
        case .serverProof: handleServerProof(bytes)
        }
    }
}

// MARK: - Handshake

extension StandInDTLSSession {
    private func handleClientHello(_ bytes: [UInt8]) {
        guard let hello = StandInClientHello.read(bytes) else {
            return fail(.handshake("The ClientHello cannot be read."), alert: .decodeError)
        }
        let version = min(hello.maximumVersion, configuration.maximumVersion)
        guard version >= max(hello.minimumVersion, configuration.minimumVersion) else {
            return fail(.handshake("The peers have no version of DTLS in common."), alert: .protocolVersion)
        }
        clientRandom = hello.random
        srtpProfile = configuration.srtpProfiles.first { hello.profiles.contains($0.rawValue) }
        let answer = StandInServerAnswer(
            version: version, profile: srtpProfile?.rawValue ?? 0, random: random, certificate: certificate)
        agree(on: answer)
        expected = .clientProof
        send(.serverAnswer, answer.write(), awaitingAnswer: true)
    }

    private func handleServerAnswer(_ bytes: [UInt8]) {
        guard let answer = StandInServerAnswer.read(bytes),
            (configuration.minimumVersion...configuration.maximumVersion).contains(answer.version)
        else { return fail(.handshake("The server's answer cannot be used."), alert: .illegalParameter) }
        srtpProfile = configuration.srtpProfiles.first { $0.rawValue == answer.profile }
        guard answer.profile == 0 || srtpProfile != nil else {
            return fail(.handshake("The server chose an SRTP profile that was not offered."), alert: .illegalParameter)
        }
        agree(on: answer)
        unverified = answer.certificate
        verify()
    }

    private func handleClientProof(_ bytes: [UInt8]) {
        guard bytes.count > 8, Array(bytes.prefix(8)) == proof(of: .clientProof, Array(bytes.dropFirst(8))) else {
            return fail(.handshake("The client's Finished does not match."), alert: .decryptError)
        }
        unverified = Array(bytes.dropFirst(8))
        verify()
    }

    private func handleServerProof(_ bytes: [UInt8]) {
        guard bytes == proof(of: .serverProof, []) else {
            return fail(.handshake("The server's Finished does not match."), alert: .decryptError)
        }
        flight = nil
        if state == .handshaking { becomeConnected() }
    }

    /// Verifies the peer's certificate once both the certificate and the verifier are there.
    private func verify() {
        guard state == .handshaking, let der = unverified, let accepts else { return }
        unverified = nil
        guard accepts(der) else { return fail(.certificateRejected, alert: .badCertificate) }
        switch role {
        case .client:
            expected = .serverProof
            send(.clientProof, proof(of: .clientProof, certificate) + certificate, awaitingAnswer: true)
            // In DTLS 1.3 the server has already authenticated itself (RFC 9147, section 5.7).
            if parameters?.version == .v13 { becomeConnected() }
        case .server:
            send(.serverProof, proof(of: .serverProof, []), awaitingAnswer: false)
            becomeConnected()
        }
    }

    private func becomeConnected() {
        state = .connected
        accepts = nil
        let waiting = early
        early = []
        for datagram in waiting { datagram.withUnsafeBytes { receiveProtected($0) } }
    }

    /// Derives the shared keys.
    private func agree(on answer: StandInServerAnswer) {
        var hash = StandInHash(state: answer.version == .v13 ? 13 : 12)
        hash.absorb(clientRandom)
        hash.absorb(answer.random)
        hash.absorb(answer.certificate)
        hash.absorb(UInt64(answer.profile))
        master = hash.word(0)
        let client = StandInRecordProtection(version: answer.version, key: hash.word(1))
        let server = StandInRecordProtection(version: answer.version, key: hash.word(2))
        (sending, receiving) = role == .client ? (client, server) : (server, client)
        parameters = DTLSParameters(
            version: answer.version,
            cipherSuite: answer.version == .v13
                ? "TLS_AES_128_GCM_SHA256" : "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
    }

    /// Eight bytes in place of a Finished message.
    private func proof(of flight: StandInFlight, _ certificate: [UInt8]) -> [UInt8] {
        var hash = StandInHash(state: master)
        hash.absorb(UInt64(flight.rawValue))
        hash.absorb(certificate)
        return hash.bytes(8)
    }
}

// MARK: - Sending

extension StandInDTLSSession {
    private func send(_ number: StandInFlight, _ bytes: [UInt8], awaitingAnswer: Bool) {
        flight = (number, bytes)
        let firstInterval = max(.milliseconds(1), configuration.initialTimeout)
        retransmission =
            awaitingAnswer
            ? Retransmission(
                next: now + firstInterval, interval: firstInterval,
                end: now + configuration.handshakeTimeout) : nil
        sendFlight()
    }

    private func sendFlight() {
        // A flight still in the outbox is not sent twice.
        guard let flight, outbox.isEmpty else { return }
        let room = max(64, configuration.maximumDatagramSize - StandInPlainRecord.overhead)
        for fragment in StandInFlightAssembly.cut(flight.number, flight.bytes, size: room) {
            sendPlain(.handshake, fragment)
        }
    }

    private func sendPlain(_ type: StandInContentType, _ body: [UInt8]) {
        outbox.append(StandInPlainRecord.write(type, sequence: plainSequence, body))
        plainSequence += 1
    }

    private func fail(_ failure: DTLSFailure, alert: Alert?) {
        end(.failed(failure), alert: alert)
    }

    /// Ends in state `final`, after an alert if the peer should know.
    private func end(_ final: DTLSSessionState, alert: Alert?) {
        if let alert {
            let body = [alert == .closeNotify ? 1 : 2, alert.rawValue]
            // After a DTLS 1.3 answer, a server protects everything; the client may be connected already.
            let isProtected = state == .connected || (role == .server && parameters?.version == .v13)
            if isProtected, let overhead = sending?.overhead {
                var record = [UInt8](repeating: 0, count: body.count + overhead)
                let size = record.withUnsafeMutableBytes { memory in
                    body.withUnsafeBytes { sending?.seal(.alert, $0, into: memory) ?? 0 }
                }
                outbox.append(Array(record.prefix(size)))
            } else {
                sendPlain(.alert, body)
            }
        }
        state = final
        retransmission = nil
        flight = nil
        expected = nil
        assembly = nil
        unverified = nil
        accepts = nil
        early = []
    }
}

extension StandInDTLSSession {
    /// Alert descriptions (RFC 8446, section 6).
    private enum Alert: UInt8 {
        case closeNotify = 0
        case badCertificate = 42
        case illegalParameter = 47
        case decodeError = 50
        case decryptError = 51
        case protocolVersion = 70
    }

    private struct Retransmission {
        var next: Instant
        var interval: TimeDelta
        /// The time at which the handshake fails without a response.
        var end: Instant
    }

    /// Unread records, stored contiguously in reused memory.
    private struct Inbox {
        /// The limit in bytes; records beyond it are dropped.
        private static let limit = 1 << 20

        private var memory: [UInt8] = []
        private var used = 0
        private var sizes = RingBuffer<Int>()
        private var readOffset = 0

        /// Opens a record into the memory after the unread ones; `nil` if there is no room.
        mutating func open(
            _ record: UnsafeRawBufferPointer, with protection: inout StandInRecordProtection?
        ) -> StandInRecordProtection.Opened? {
            guard used + record.count <= Self.limit else { return nil }
            if memory.count < used + record.count {
                let size = max(4_096, 2 * memory.count, used + record.count)
                memory.append(contentsOf: repeatElement(0, count: size - memory.count))
            }
            return memory.withUnsafeMutableBytes {
                protection?.open(record, into: UnsafeMutableRawBufferPointer(rebasing: $0[used...]))
            }
        }

        /// Keeps the first `count` bytes of the last opened record.
        mutating func keep(_ count: Int) {
            sizes.append(count)
            used += count
        }

        /// A byte of the last opened record.
        func peek(at offset: Int) -> UInt8 { memory[used + offset] }

        mutating func read(into buffer: UnsafeMutableRawBufferPointer, dropped: inout Int) -> Int? {
            while let size = sizes.popFirst() {
                let start = readOffset
                readOffset += size
                defer {
                    if sizes.isEmpty {
                        used = 0
                        readOffset = 0
                    }
                }
                guard size <= buffer.count else {
                    dropped += 1
                    continue
                }
                memory.withUnsafeBytes {
                    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + size]))
                }
                return size
            }
            return nil
        }
    }
}
