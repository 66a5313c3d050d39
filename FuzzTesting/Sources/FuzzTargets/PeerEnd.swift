import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire

/// A peer with one socket, everything that it says collected.
final class PeerEnd {
    private(set) var peer: Peer
    let address: TransportAddress
    private(set) var state = ConnectionState.new
    private(set) var channels: [Peer.ChannelID] = []
    private(set) var transceivers: [TransceiverID] = []
    /// Said and not yet taken.
    var signals: [Signal] = []
    var datagrams: [[UInt8]] = []
    private(set) var lastDatagram: [UInt8] = []
    private(set) var lastDescription: Signal?
    /// What its media packets have said.
    var log = MediaLog()
    private let media: MediaCapabilities
    private var nextSocket: UInt32 = 0
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_000, alignment: 16)
    private let sound = PlayedSound()
    private var lastTime = Instant.zero
    private var pictures = 0
    private var needsKeyFrame = true

    init(seed: UInt64, isPolite: Bool, address: TransportAddress, media: MediaCapabilities, waitsForOffer: Bool = false)
    {
        self.address = address
        self.media = media
        let crypto = OpenCrypto(seed: seed)
        var configuration = PeerConfiguration(certificate: crypto.makeCertificate())
        configuration.negotiation = .perfect(isPolite: isPolite)
        configuration.media = media
        configuration.waitsForOffer = waitsForOffer
        peer = Peer(configuration: configuration, crypto: crypto, random: SeededRandom(seed: seed))
    }

    deinit { memory.deallocate() }

    func receive(_ datagram: [UInt8], from remote: TransportAddress, on socket: UInt32 = 0, at now: Instant) {
        datagram.withUnsafeBytes {
            peer.receive(
                RawSpan(_unsafeBytes: $0), on: TransportPath(socket: SocketID(socket), remote: remote), at: now)
        }
        drain(at: now)
    }

    /// A peer must survive what it is told. It may refuse it.
    func receive(_ signal: Signal, at now: Instant) {
        try? peer.receive(signal, at: now)
        drain(at: now)
    }

    func handleTimeout(at now: Instant) {
        sound.play(until: now, from: lastTime)
        lastTime = now
        // What was due may bring about something else that is due; but not for ever.
        for _ in 0..<8 {
            peer.handleTimeout(at: now)
            drain(at: now)
            guard let deadline = peer.nextDeadline, deadline <= now else { return }
        }
        preconditionFailure("the deadline stays in the past")
    }

    var nextDeadline: Instant? { peer.nextDeadline }

    // MARK: Data

    func open(_ parameters: DataChannelParameters, at now: Instant) {
        if let id = try? peer.openChannel(parameters, at: now) { channels.append(id) }
        drain(at: now)
    }

    func send(_ bytes: [UInt8], at now: Instant) {
        if let id = channels.last { try? peer.send(DataChannelMessage(bytes: bytes, isText: false), on: id, at: now) }
        drain(at: now)
    }

    func closeChannel(at now: Instant) {
        if let id = channels.popLast() { peer.closeChannel(id, at: now) }
        drain(at: now)
    }

    func restartICE(at now: Instant) {
        peer.restartICE(at: now)
        drain(at: now)
    }

    func loseSocket(_ id: UInt32, at now: Instant) {
        peer.removeSocket(SocketID(id), at: now)
        drain(at: now)
    }

    func close(at now: Instant) {
        peer.close(at: now)
        drain(at: now)
    }

    // MARK: Media

    /// Adds tracks of these kinds and a channel, of all of which one offer speaks.
    func begin(_ kinds: [MediaKind], hasData: Bool, at now: Instant) {
        peer.isNegotiationHeld = true
        for kind in kinds { addTrack(kind, at: now) }
        if hasData { open(DataChannelParameters(label: "data"), at: now) }
        peer.releaseNegotiation(at: now)
        drain(at: now)
    }

    private func addTrack(_ kind: MediaKind, at now: Instant) {
        // No more than descriptions of a size that is still fast.
        guard transceivers.count < 6 else { return }
        guard let id = try? peer.addTrack(kind, trackID: "t\(transceivers.count)", streamIDs: ["s"], at: now) else {
            return
        }
        adopt(id)
    }

    private func adopt(_ id: TransceiverID) {
        if !transceivers.contains(id) { transceivers.append(id) }
        peer.setAudioSink(sound, of: id)
    }

    /// Changes what is sent and received, as an app may at any time.
    func changeMedia(_ input: inout FuzzInput, at now: Instant) {
        let (choice, place) = (input.byte(), Int(input.byte()))
        guard choice % 8 > 1, !transceivers.isEmpty else {
            addTrack(choice & 8 == 0 ? .audio : .video, at: now)
            return drain(at: now)
        }
        let id = transceivers[place % transceivers.count]
        switch choice % 8 {
        case 2: try? peer.removeTrack(id, at: now)
        case 3, 4:
            let direction = SDPDirection(sends: choice & 8 != 0, receives: choice & 16 != 0)
            try? peer.setDirection(direction, of: id, at: now)
        case 5: try? peer.stopTransceiver(id, at: now)
        case 6:
            let codecs = media.video.codecs
            guard !codecs.isEmpty else { break }
            try? peer.setCodecPreferences([codecs[Int(choice >> 3) % codecs.count]], of: id)
        default: peer.requestKeyFrame(of: id, at: now)
        }
        drain(at: now)
    }

    /// Sends a picture or a packet of sound on one of its transceivers.
    func sendMedia(_ input: inout FuzzInput, at now: Instant) {
        let (choice, place) = (input.byte(), Int(input.byte()))
        guard !transceivers.isEmpty, let transceiver = peer.transceiver(transceivers[place % transceivers.count]) else {
            return
        }
        let ticks = RTPTimestamp(UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000))
        if transceiver.kind == .audio {
            let frame = EncodedAudioFrame(
                format: .opus, data: [0xF8] + input.chunk(limit: 100),
                timestamp: RTPTimestamp(ticks.rawValue &* 48), duration: 960, hasVoice: choice & 1 != 0)
            peer.send(frame, captureTime: now, on: transceiver.id, at: now)
        } else {
            let isKey = needsKeyFrame || choice & 1 != 0
            needsKeyFrame = false
            pictures += 1
            let formats = media.video.codecs.compactMap(\.format)
            let format = formats.isEmpty ? .vp8 : formats[Int(choice >> 1) % formats.count]
            let frame = SyntheticVideo.frame(
                SyntheticVideo.Mark(number: pictures, reference: isKey ? nil : pictures - 1), format: format,
                size: Int(input.byte()) * 24, timestamp: RTPTimestamp(ticks.rawValue &* 90))
            peer.send(frame, captureTime: now, on: transceiver.id, at: now)
        }
        drain(at: now)
    }

    // MARK: What it says

    private func drain(at now: Instant) {
        var events = 0
        while let event = peer.pollEvent() {
            follow(event, at: now)
            events += 1
            precondition(events < 100_000, "one input makes events without end")
        }
        var batch = TransmitBatch(memory)
        var batches = 0
        while peer.pollTransmit(into: &batch, at: now) {
            for start in stride(from: 0, to: batch.byteCount, by: max(batch.segmentSize, 1)) {
                lastDatagram = Array(memory[start..<min(start + batch.segmentSize, batch.byteCount)])
                log.note(lastDatagram)
                datagrams.append(lastDatagram)
            }
            batch.removeAll()
            batches += 1
            precondition(batches < 20_000, "one input makes datagrams without end")
        }
    }

    private func follow(_ event: PeerEvent, at now: Instant) {
        switch event {
        case .needsSockets:
            peer.addSocket(SocketID(nextSocket), address: address, properties: ICESocketProperties(), at: now)
            nextSocket += 1
            peer.endOfSockets(at: now)
        case .needsResolution(let name): peer.resolved(name: name, to: [address.ip], at: now)
        case .signal(let signal):
            if case .description = signal { lastDescription = signal }
            signals.append(signal)
        case .connectionState(let new): state = new
        case .incomingChannel(let id, _): channels.append(id)
        case .channelClosed(let id): channels.removeAll { $0 == id }
        case .message(let id, let message): peer.consumed(message.bytes.count, on: id, at: now)
        case .transceiverAdded(let transceiver): adopt(transceiver.id)
        case .transceiverEnded(let id): transceivers.removeAll { $0 == id }
        case .videoFrame(let id, let picture):
            precondition(picture.renderTime >= now && picture.renderTime - now <= .seconds(20), "never to be shown")
            precondition(picture.frame.data.count < 2_000_000, "a picture without bound")
            peer.didDecode(in: .milliseconds(Int64(picture.frame.data.count % 64)), of: id)
        case .keyFrameRequested: needsKeyFrame = true
        case .targetBitrate(_, let bitrate): precondition(bitrate.bitsPerSecond >= 0)
        default: break
        }
    }
}

extension MediaCapabilities {
    /// Few codecs and extensions make short descriptions, and those make a fast target.
    ///
    /// - Parameter choices: Bit 2 is for no transport-wide feedback, bit 4 for all header extensions there are; bits 5 and 6 choose
    ///   the codec of pictures, or all of them.
    init(_ choices: UInt8) {
        let isTransportWide = choices & 4 == 0
        let feedback = ["nack", "nack pli", "ccm fir", "goog-remb"] + (isTransportWide ? ["transport-cc"] : [])
        let codecs = [
            RTPCodec(kind: .video, name: "VP8", clockRate: 90_000, feedback: feedback),
            RTPCodec(
                kind: .video, name: "VP9", clockRate: 90_000, formatParameters: "profile-id=0", feedback: feedback),
            RTPCodec(
                kind: .video, name: "H264", clockRate: 90_000,
                formatParameters: "packetization-mode=1;profile-level-id=42e01f", feedback: feedback),
        ]
        let opus = RTPCodec(
            kind: .audio, name: "opus", clockRate: 48_000, channels: 2, formatParameters: "useinbandfec=1",
            feedback: isTransportWide ? ["transport-cc"] : [])
        let choice = Int(choices >> 5 & 3)
        let few: [RTPHeaderExtension] = [
            .mediaIdentification, .audioLevel, isTransportWide ? .transportSequenceNumber : .absoluteSendTime,
        ]
        let all = RTPHeaderExtension.allCases.filter { isTransportWide || $0 != .transportSequenceNumber }
        self.init(
            codecs: [opus] + (choice == 3 ? codecs : [codecs[choice]]),
            headerExtensions: (choices & 16 == 0 ? few : all).map(\.uri))
        audio.isRedundancyOffered = true
        video.isProtectionOffered = true
    }
}
