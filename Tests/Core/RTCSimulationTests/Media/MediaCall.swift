import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

/// A call between two simulated peers: who sends makes a picture 30 times a second and a packet of sound every 20 ms,
/// as encoders would, and who receives keeps what comes.
final class MediaCall {
    /// A camera with its encoder.
    struct Camera {
        let side: SimulatedSide
        let transceiver: TransceiverID
        var format = PayloadFormat.vp8
        var mode = ScalabilityMode.l1t1
        /// The number of frames since the last key frame, and the mark of the newest frame of each temporal layer.
        var position = 0
        var newest: [UInt8: Int] = [:]
        /// Bits a second at most; less where the peer says so.
        var bitrate = Bitrate.kilobits(1_000)
        var isOn = true
        var next: Instant
        /// Pictures that were handed to the peer.
        var sent: [(mark: SyntheticVideo.Mark, time: Instant)] = []
        /// Pictures that were left out because too much was waiting.
        var leftOut = 0
        var needsKeyFrame = true
        /// An encoder that does not do what it is told; `nil` for one that does.
        var model: ModelEncoder?
        /// The longest that anything waited to leave, as captures saw it.
        var longestQueue = TimeDelta.zero
    }

    /// A microphone with its encoder.
    struct Microphone {
        let side: SimulatedSide
        let transceiver: TransceiverID
        /// Opus or PCMU.
        var format = PayloadFormat.opus
        var isOn = true
        var next: Instant
        var sent = 0
    }

    static let frameInterval = TimeDelta.nanoseconds(33_333_333)
    static let packetInterval = TimeDelta.milliseconds(20)

    let pair: SimulatedPair
    var cameras: [Camera] = []
    var microphones: [Microphone] = []

    /// The links on which alice's and bob's datagrams leave.
    let uplinks: [SimulatedNetwork.LinkID]

    /// A call over one link in each direction, with sound and picture both ways, not begun yet.
    convenience init(
        seed: UInt64, _ conditions: LinkConditions = LinkConditions(delay: .milliseconds(20)),
        format: PayloadFormat = .vp8, capabilities: MediaCapabilities = .everything, isEmpty: Bool = false,
        _ change: (inout SimulatedPairSettings) -> Void = { _ in }
    ) throws {
        var network = SimulatedNetwork(seed: seed)
        let hosts = [network.addHost(), network.addHost()]
        let uplinks = hosts.enumerated().map { index, host in
            network.addInterface(to: host, address: IPAddress(192, 0, 2, UInt8(index + 1))).uplink
        }
        for uplink in uplinks { network.setConditions(conditions, on: uplink) }
        try self.init(
            seed: seed, SimulatedTopology(network: network, alice: hosts[0], bob: hosts[1]), uplinks: uplinks,
            format: format, capabilities: capabilities, isEmpty: isEmpty, change)
    }

    /// The same over any network.
    init(
        seed: UInt64, _ topology: SimulatedTopology, uplinks: [SimulatedNetwork.LinkID],
        format: PayloadFormat = .vp8, capabilities: MediaCapabilities = .everything, isEmpty: Bool = false,
        _ change: (inout SimulatedPairSettings) -> Void = { _ in }
    ) throws {
        self.uplinks = uplinks
        var settings = SimulatedPairSettings(seed: seed)
        settings.signalingDelay = .milliseconds(30)
        settings.configure = { _, configuration in configuration.media = capabilities }
        change(&settings)
        pair = try SimulatedPair(settings, topology)
        guard !isEmpty else { return }
        for side in SimulatedSide.allCases {
            try addMicrophone(on: side)
            try addCamera(on: side, format: format)
        }
    }

    @discardableResult
    func addCamera(on side: SimulatedSide, format: PayloadFormat = .vp8) throws -> TransceiverID {
        let id = try pair.with(side) { try $0.addTrack(.video, trackID: "picture", streamIDs: ["call"], at: $1) }
        cameras.append(Camera(side: side, transceiver: id, format: format, next: pair.now))
        return id
    }

    @discardableResult
    func addMicrophone(on side: SimulatedSide) throws -> TransceiverID {
        let id = try pair.with(side) { try $0.addTrack(.audio, trackID: "sound", streamIDs: ["call"], at: $1) }
        microphones.append(Microphone(side: side, transceiver: id, next: pair.now))
        return id
    }

    // MARK: Time

    func run(for time: TimeDelta) { _ = run(for: time) { _ in false } }

    func run(for time: TimeDelta, until isDone: (SimulatedPair) -> Bool) -> Bool {
        let end = pair.now + time
        while true {
            var next = end
            for camera in cameras { next = min(next, camera.next) }
            for microphone in microphones { next = min(next, microphone.next) }
            if pair.run(for: max(next - pair.now, .zero), until: isDone) { return true }
            guard next < end, !pair.isStuck else { return false }
            for index in cameras.indices where cameras[index].next <= pair.now { capture(&cameras[index]) }
            for index in microphones.indices where microphones[index].next <= pair.now {
                capture(&microphones[index])
            }
        }
    }

    private func capture(_ camera: inout Camera) {
        let now = pair.now
        camera.next = camera.next + (camera.model == nil ? Self.frameInterval : .milliseconds(40))
        let endpoint = pair.endpoint(camera.side)
        guard camera.isOn, endpoint.peer.isSending(camera.transceiver) else { return }
        let queue = endpoint.peer.mediaQueueTime
        camera.longestQueue = max(camera.longestQueue, queue)
        let isKey = camera.needsKeyFrame || endpoint.keyFrameRequests.contains(camera.transceiver)
        let target = endpoint.targetBitrates[camera.transceiver] ?? camera.bitrate
        let usual = Int(min(camera.bitrate, target).bitsPerSecond) / 8 / 30
        var size = isKey ? usual * 4 : usual
        if camera.model != nil {
            guard
                let made = camera.model?.next(
                    isKeyFrame: isKey, target: min(camera.bitrate, target), queue: queue, at: now)
            else {
                camera.leftOut += 1
                return
            }
            size = made
        } else if queue > .milliseconds(200) {
            camera.leftOut += 1
            return
        }
        camera.needsKeyFrame = false
        endpoint.keyFrameRequests.remove(camera.transceiver)
        let layer = camera.nextLayer(isKey: isKey)
        if !isKey { size = Int(Double(size) * camera.mode.frameSize(of: layer)) }
        let mark = SyntheticVideo.Mark(
            number: camera.sent.count + 1, reference: isKey ? nil : camera.reference(of: layer))
        var frame = SyntheticVideo.frame(
            mark, format: camera.format, size: size, timestamp: Self.timestamp(now, 90_000))
        frame.temporalLayer = layer
        camera.newest[layer?.index ?? 0] = mark.number
        camera.sent.append((mark, now))
        pair.with(camera.side) { $0.send(frame, captureTime: now, on: camera.transceiver, at: $1) }
    }

    private func capture(_ microphone: inout Microphone) {
        let now = pair.now
        microphone.next = microphone.next + Self.packetInterval
        guard microphone.isOn, pair.endpoint(microphone.side).peer.isSending(microphone.transceiver) else { return }
        microphone.sent += 1
        let clockRate: Int64 = microphone.format == .opus ? 48_000 : 8_000
        var data: [UInt8] = [0x78]
        data.append(contentsOf: repeatElement(UInt8(truncatingIfNeeded: microphone.sent), count: 79))
        let frame = EncodedAudioFrame(
            format: microphone.format, data: data, timestamp: Self.timestamp(now, clockRate),
            duration: UInt32(clockRate / 50), level: 30)
        pair.with(microphone.side) { $0.send(frame, captureTime: now, on: microphone.transceiver, at: $1) }
    }

    private static func timestamp(_ now: Instant, _ clockRate: Int64) -> RTPTimestamp {
        RTPTimestamp(UInt32(truncatingIfNeeded: (now - Instant.zero).nanoseconds / 1_000 * clockRate / 1_000_000))
    }

    // MARK: What came

    /// The transceiver that receives what `transceiver` of `side` sends.
    func receiver(of transceiver: TransceiverID, on side: SimulatedSide) -> TransceiverID? {
        guard let mid = pair.endpoint(side).peer.transceiver(transceiver)?.mid else { return nil }
        return pair.endpoint(side.other).peer.transceivers.first { $0.mid == mid }?.id
    }

    func recordAudio(to side: SimulatedSide) throws -> AudioPacketRecorder {
        let microphone = try #require(microphones.first { $0.side == side.other })
        let id = try #require(receiver(of: microphone.transceiver, on: side.other))
        return pair.recordAudio(of: id, on: side)
    }

    /// What came of a camera's pictures, in the order in which it was given out.
    func pictures(of camera: Camera) -> [SimulatedEndpoint.Picture] {
        let id = receiver(of: camera.transceiver, on: camera.side)
        return pair.endpoint(camera.side.other).pictures.filter { $0.transceiver == id }
    }

    /// From capture until each picture was given out.
    func delays(of camera: Camera, since start: Instant = .zero) -> [TimeDelta] {
        pictures(of: camera).compactMap { picture in
            guard picture.time >= start, let mark = SyntheticVideo.mark(of: picture.picture.frame),
                mark.number > 0, mark.number <= camera.sent.count
            else { return nil }
            return picture.time - camera.sent[mark.number - 1].time
        }
    }

    /// Checks that every picture can be decoded: it is whole, newer than the one before, and refers to that.
    ///
    /// - Returns: The share of the pictures sent that came, of those that have had the time to.
    @discardableResult
    func expectDecodable(
        _ camera: Camera, after settling: TimeDelta = .seconds(1), sourceLocation: SourceLocation = #_sourceLocation
    ) -> Double {
        var last = 0
        var received: Set<Int> = []
        for picture in pictures(of: camera) {
            let frame = picture.picture.frame
            guard let mark = SyntheticVideo.mark(of: frame) else {
                Issue.record("a picture of \(frame.data.count) bytes is broken", sourceLocation: sourceLocation)
                return 0
            }
            let isDecodable =
                mark.number > last
                && (mark.reference.map { camera.mode == .l1t1 ? $0 == last : received.contains($0) } ?? true)
            received.insert(mark.number)
            #expect(isDecodable, "picture \(mark) after \(last)", sourceLocation: sourceLocation)
            #expect(frame.format == camera.format, sourceLocation: sourceLocation)
            if frame.isKeyFrame {
                #expect(
                    frame.width == SyntheticVideo.width && frame.height == SyntheticVideo.height,
                    sourceLocation: sourceLocation)
            }
            last = mark.number
        }
        let due = camera.sent.count { pair.now - $0.time > settling }
        let came = pictures(of: camera).count {
            guard let mark = SyntheticVideo.mark(of: $0.picture.frame) else { return false }
            return mark.number <= due
        }
        return due == 0 ? 0 : Double(came) / Double(due)
    }
}

extension MediaCapabilities {
    private static let videoFeedback = ["nack", "nack pli", "ccm fir", "goog-remb", "transport-cc"]

    /// All codecs that have a payload format for video, and Opus, with every feedback and extension.
    static let everything = MediaCapabilities(
        codecs: codecs(videoFeedback: videoFeedback), headerExtensions: RTPHeaderExtension.allCases.map(\.uri))

    /// Without transport-wide feedback.
    static let withREMB = MediaCapabilities(
        codecs: codecs(videoFeedback: videoFeedback.filter { $0 != "transport-cc" }, audioFeedback: []),
        headerExtensions: RTPHeaderExtension.allCases.filter { $0 != .transportSequenceNumber }.map(\.uri))

    /// Nothing but the codecs.
    static let plain = MediaCapabilities(codecs: codecs(videoFeedback: [], audioFeedback: []))

    private static func codecs(videoFeedback: [String], audioFeedback: [String] = ["transport-cc"]) -> [RTPCodec] {
        [
            RTPCodec(
                kind: .audio, name: "opus", clockRate: 48_000, channels: 2,
                formatParameters: "minptime=10;useinbandfec=1", feedback: audioFeedback),
            RTPCodec(kind: .video, name: "VP8", clockRate: 90_000, feedback: videoFeedback),
            RTPCodec(
                kind: .video, name: "VP9", clockRate: 90_000, formatParameters: "profile-id=0",
                feedback: videoFeedback),
            RTPCodec(
                kind: .video, name: "H264", clockRate: 90_000,
                formatParameters: "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
                feedback: videoFeedback),
        ]
    }
}

extension ScalabilityMode {
    /// The size of a frame as libvpx makes it, in average frames.
    fileprivate func frameSize(of layer: TemporalLayer?) -> Double {
        switch (self, layer?.index ?? 0) {
        case (.l1t1, _): 1
        case (.l1t2, let index): index == 0 ? 1.5 : 0.5
        case (.l1t3, let index): index == 0 ? 2 : index == 1 ? 1 : 0.5
        }
    }
}

extension MediaCall.Camera {
    /// The layer of the next frame.
    fileprivate mutating func nextLayer(isKey: Bool) -> TemporalLayer? {
        if isKey { position = 0 }
        defer { position += 1 }
        return mode.layer(at: position)
    }

    /// The number of the frame that one of `layer` refers to, the newest of them.
    fileprivate func reference(of layer: TemporalLayer?) -> Int? {
        guard let layer else { return sent.last?.mark.number }
        return newest[layer.index > 0 && !layer.isSync ? layer.index - 1 : 0]
    }
}
