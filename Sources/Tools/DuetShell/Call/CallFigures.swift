package import RTC

/// The state of a call at one moment, from two statistics reports.
package struct CallFigures: Sendable, Equatable {
    /// One kind of media in one direction.
    struct Stream: Sendable, Equatable {
        /// Such as `VP8`.
        var codec: String?
        /// The width of video in pixels.
        var width: Int?
        var height: Int?
        var framesPerSecond: Double?
        /// The payload bitrate in bits per second.
        var bitrate: Double?
        /// The recent loss rate, 0 to 1.
        var loss: Double?
    }

    /// One end of the path.
    package struct End: Sendable, Equatable {
        /// `host`, `srflx`, `prflx` or `relay`.
        package var type: String
        /// The address with its port.
        package var address: String
    }

    var sentVideo: Stream?
    var sentAudio: Stream?
    var receivedVideo: Stream?
    var receivedAudio: Stream?
    package var local: End?
    package var remote: End?
    package var transport: String?
    /// The round-trip time in seconds.
    var roundTrip: Double?
    /// Whether the echo cancellation of the sent microphone works; `nil` if nobody knows.
    var echoCancellation: EchoCancellation?
    /// The kit's rating; `nil` in the first seconds.
    var quality: CallQuality?
    /// Such as `DTLS 1.3, TLS_AES_128_GCM_SHA256`.
    package var security: String?

    /// - Parameters:
    ///   - earlier: An earlier report of the same connection; without it there are no bitrates and losses.
    ///   - seconds: The time between the two.
    package init(_ report: StatisticsReport, since earlier: StatisticsReport? = nil, seconds: Double = 0) {
        func codec(_ id: String?) -> String? {
            report.codecs.first { $0.id == id }.map { String($0.mimeType.split(separator: "/").last ?? "") }
        }
        func rate(_ now: Int, _ before: Int?) -> Double? {
            guard let before, seconds > 0 else { return nil }
            return Double(max(0, now - before)) * 8 / seconds
        }
        for entry in report.outboundRTP where entry.active {
            let before = earlier?.outboundRTP.first { $0.id == entry.id }
            let theirs = report.remoteInboundRTP.first { $0.id == entry.remoteId }
            let stream = Stream(
                codec: codec(entry.codecId), width: entry.frameWidth, height: entry.frameHeight,
                framesPerSecond: entry.framesPerSecond, bitrate: rate(entry.bytesSent, before?.bytesSent),
                loss: theirs?.fractionLost)
            if entry.kind == .video { sentVideo = sentVideo ?? stream } else { sentAudio = sentAudio ?? stream }
        }
        for entry in report.inboundRTP {
            let before = earlier?.inboundRTP.first { $0.id == entry.id }
            let stream = Stream(
                codec: codec(entry.codecId), width: entry.frameWidth, height: entry.frameHeight,
                framesPerSecond: entry.framesPerSecond, bitrate: rate(entry.bytesReceived, before?.bytesReceived),
                loss: before.flatMap { Self.loss(entry, since: $0) })
            if entry.kind == .video {
                receivedVideo = receivedVideo ?? stream
            } else {
                receivedAudio = receivedAudio ?? stream
            }
        }
        for entry in report.mediaSources where entry.kind == .audio {
            echoCancellation = echoCancellation ?? entry.echoCancellation
        }
        setPath(report)
    }

    private static func loss(_ now: InboundRTPStatistics, since before: InboundRTPStatistics) -> Double? {
        let lost = max(0, now.packetsLost - before.packetsLost)
        let received = max(0, now.packetsReceived - before.packetsReceived)
        return lost + received > 0 ? Double(lost) / Double(lost + received) : nil
    }

    private mutating func setPath(_ report: StatisticsReport) {
        if let version = report.transport.tlsVersion {
            let name = ["FEFD": "DTLS 1.2", "FEFC": "DTLS 1.3"][version] ?? "DTLS"
            security = [name, report.transport.dtlsCipher].compactMap { $0 }.joined(separator: ", ")
        }
        guard let pair = report.candidatePairs.first(where: { $0.id == report.transport.selectedCandidatePairId })
        else { return }
        roundTrip = pair.currentRoundTripTime
        func end(_ candidates: [CandidateStatistics], _ id: String) -> End? {
            candidates.first { $0.id == id }.map {
                let address = $0.address.contains(":") ? "[\($0.address)]" : $0.address
                return End(type: $0.candidateType, address: "\(address):\($0.port)")
            }
        }
        local = end(report.localCandidates, pair.localCandidateId)
        remote = end(report.remoteCandidates, pair.remoteCandidateId)
        transport = report.localCandidates.first { $0.id == pair.localCandidateId }?.protocol.uppercased()
    }

    /// The path of the packets: `host 192.0.2.1:5000 ↔ host 192.0.2.2:6000, UDP`.
    var route: String? {
        guard let local, let remote else { return nil }
        let ends = "\(local.type) \(local.address) ↔ \(remote.type) \(remote.address)"
        return transport.map { "\(ends), \($0)" } ?? ends
    }
}

extension CallFigures {
    /// `{"event":"figures", …}`
    var event: JSONValue {
        .event(
            "figures",
            [
                "route": route, "roundTrip": roundTrip?.json(places: 6), "security": security,
                "sentVideo": sentVideo?.json, "sentAudio": sentAudio?.json, "receivedVideo": receivedVideo?.json,
                "receivedAudio": receivedAudio?.json, "echoCancellation": echoCancellation?.word,
            ])
    }
}

extension EchoCancellation {
    /// As in ``StatisticsReport``.
    fileprivate var word: String {
        switch self {
        case .off: "off"
        case .holding: "holding"
        case .lost: "lost"
        }
    }
}

extension CallFigures.Stream {
    fileprivate var json: JSONValue {
        var members: JSONValue.Members = [:]
        if let codec { members["codec"] = codec }
        if let width { members["width"] = width }
        if let height { members["height"] = height }
        if let framesPerSecond { members["framesPerSecond"] = framesPerSecond.json(places: 1) }
        if let bitrate { members["bitrate"] = Int(bitrate) }
        if let loss { members["loss"] = loss.json(places: 4) }
        return .object(members)
    }
}
