import Testing

@testable import RTC
@testable import WebRTCKit

@Suite("What the other side reports of loss")
struct ReportedLossTests {
    /// Sends 50 packets a second, and looks each second at what is reported, which happens at times of its own.
    struct Sender {
        var state = SendingState(.defaultForAudio)
        /// The bitrate after each second.
        var bitrates: [Int] = []

        /// - Parameters:
        ///   - reports: When they come, in seconds.
        ///   - loss: The share of packets that is lost.
        mutating func run(_ seconds: Int, reports: [Double], loss: (_ second: Double) -> Double) {
            var last: RemoteInboundRTPStatistics?
            var (time, lost) = (0.0, 0.0)
            var waiting = reports[...]
            for second in 1...seconds {
                while let next = waiting.first, next <= Double(second) {
                    waiting.removeFirst()
                    lost += (next - time) * 50 * loss(next)
                    time = next
                    last = Self.report(at: time, sent: Int(time * 50), lost: Int(lost.rounded()))
                }
                if let last { state.take(last, at: .seconds(second)) }
                bitrates.append(state.bitrate.bitrate)
            }
        }

        static func report(at time: Double, sent: Int, lost: Int) -> RemoteInboundRTPStatistics {
            RemoteInboundRTPStatistics(
                id: "RIA1", kind: .audio, ssrc: 1, localId: "OA1", codecId: nil, timestamp: time,
                packetsReceived: sent - lost, packetsLost: lost, fractionLost: 0, jitter: 0, roundTripTime: nil)
        }
    }

    private static func every(_ interval: Double, for seconds: Double) -> [Double] {
        Array(stride(from: interval, through: seconds, by: interval))
    }

    @Test(
        "2 % of loss is neither low nor high, however seldom it is reported: nothing changes (bug 2)",
        arguments: [0.5, 1, 2.5, 5, 7.5])
    func mildLoss(interval: Double) {
        var sender = Sender()
        sender.run(120, reports: Self.every(interval, for: 120)) { _ in 0.02 }
        #expect(Set(sender.bitrates) == [16_000])
    }

    @Test(
        "Without loss it goes up by one step at each check, and a check is every fifth second", arguments: [0.5, 1, 5])
    func noLoss(interval: Double) {
        var sender = Sender()
        sender.run(31, reports: Self.every(interval, for: 31)) { _ in 0 }
        // From the first report on.
        let checks = interval == 5 ? 5 : 6
        let expected = (0..<checks).reduce(16_000) { bitrate, _ in Int((Double(bitrate) * 1.15).rounded()) }
        #expect(sender.bitrates.last == expected)
        #expect(Set(sender.bitrates).count == checks + 1)
    }

    @Test("Critical loss is one step down for each report, not one for each look at it")
    func criticalLoss() {
        var sender = Sender()
        // Counting begins with the first; the third says that a fifth was lost since the second.
        sender.run(14, reports: [4, 8, 12]) { $0 == 12 ? 0.2 : 0 }
        #expect(sender.bitrates.prefix(11).allSatisfy { $0 == 16_000 })
        // The check finds a tenth lost of all eight seconds, and steps down as well.
        #expect(sender.bitrates.suffix(3) == [10_200, 10_200, 10_200])
    }

    @Test("Without reports nothing is known, and nothing changes")
    func silence() {
        var sender = Sender()
        sender.run(60, reports: [1, 2, 3]) { _ in 0 }
        #expect(Set(sender.bitrates) == [16_000])
    }
}
