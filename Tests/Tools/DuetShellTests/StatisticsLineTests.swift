import Foundation
import RTCMedia
import Testing

@testable import DuetShell
@testable import RTC

@Suite("Statistics as a line of JSON")
struct StatisticsLineTests {
    private func object(_ report: StatisticsReport) throws -> [String: Any] {
        #expect(report.line.last == UInt8(ascii: "\n") && report.line.count { $0 == UInt8(ascii: "\n") } == 1)
        return try #require(JSONSerialization.jsonObject(with: Data(report.line)) as? [String: Any])
    }

    @Test("A peer's text has nothing on which a terminal acts")
    func terminal() async throws {
        let connection = try PeerConnection()
        var report = await connection.getStats()
        await connection.close()
        let name = "a\u{1B}[2J\u{7F}\u{9B}31m"
        report.codecs = [CodecStatistics(id: "C1", payloadType: 96, mimeType: name, clockRate: 90_000)]
        let line = String(decoding: report.line, as: UTF8.self)
        #expect(!line.dropLast().unicodeScalars.contains { $0.properties.generalCategory == .control })
        let codec = try #require((try object(report)["codecs"] as? [[String: Any]])?.first)
        #expect(codec["mimeType"] as? String == name)
    }

    @Test("Members have the names of webrtc-stats, and unknown values are left out")
    func names() async throws {
        let connection = try PeerConnection()
        var report = await connection.getStats()
        await connection.close()
        var sent = OutboundRTPStatistics(
            id: "O1", kind: .video, ssrc: 4_294_967_295, packetsSent: 1, bytesSent: 2, headerBytesSent: 3,
            retransmittedPacketsSent: 0, retransmittedBytesSent: 0, nackCount: 0, active: true)
        sent.qualityLimitationReason = .bandwidth
        sent.qualityLimitationDurations = [.none: 1.5, .bandwidth: 2]
        sent.targetBitrate = .nan
        report.outboundRTP = [sent]
        report.codecs = [CodecStatistics(id: "C1", payloadType: 96, mimeType: "video/VP8", clockRate: 90_000)]
        var source = MediaSourceStatistics(id: "S1", kind: .audio, trackIdentifier: "microphone")
        source.echoCancellation = .lost(since: Instant(nanoseconds: 2_500_000_000))
        report.mediaSources = [source]
        let line = try object(report)
        let echo = try #require(
            (line["mediaSources"] as? [[String: Any]])?.first?["echoCancellation"] as? [String: Any])
        #expect(echo["state"] as? String == "lost" && echo["since"] as? Double == 2.5)
        #expect(line["event"] as? String == "stats")
        #expect(
            Set(line.keys) == [
                "event", "peerConnection", "transport", "candidatePairs", "localCandidates", "remoteCandidates",
                "dataChannels", "outboundRTP", "inboundRTP", "remoteInboundRTP", "codecs", "mediaSources",
                "certificates",
                "dropped",
            ])
        let stream = try #require((line["outboundRTP"] as? [[String: Any]])?.first)
        #expect(stream["kind"] as? String == "video" && stream["ssrc"] as? Int == 4_294_967_295)
        #expect(stream["mid"] == nil && stream["active"] as? Bool == true)
        #expect(stream["qualityLimitationReason"] as? String == "bandwidth")
        #expect(stream["qualityLimitationDurations"] as? [String: Double] == ["none": 1.5, "bandwidth": 2])
        let codec = try #require((line["codecs"] as? [[String: Any]])?.first)
        #expect(codec["mimeType"] as? String == "video/VP8" && codec["channels"] == nil)
        let transport = try #require(line["transport"] as? [String: Any])
        #expect(transport["dtlsState"] as? String == "new" && transport["tlsVersion"] == nil)
    }
}
