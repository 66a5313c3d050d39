import EventLoopTesting
import NIOCore
import RTCPeer
import RTCWire
import Testing

@testable import RTC

@Suite("Unconfirmed connections at a TCP candidate", .timeLimit(.minutes(1)))
struct UnconfirmedStreamTests {
    /// A Binding request that proves nothing, what is no packet, and an empty one, each behind its length.
    private static let frames: [[UInt8]] = [
        [0, 20, 0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 7, count: 12), [0, 1, 0xFF], [0, 0],
    ]

    @Test("A connection that sends much and proves nothing is closed, and little of it is parsed", arguments: frames)
    func talkative(frame: [UInt8]) async throws {
        let connection = try PeerConnection(
            configuration: LoopbackPair.configuration { $0.network.tcp = .connectAndListen })
        _ = try await connection.createDataChannel("data")
        #expect(await eventually { await connection.counts.listening == 1 })
        let address = try #require(await connection.listeningAddress)
        let flood = [UInt8]((0..<10_000).map { _ in frame }.joined())
        try await onEventLoop { test, loop in
            for _ in 0..<5 {
                let caller = Owner()
                let outgoing = StreamConnection.connect(to: address, on: loop, owner: caller)
                try await wait(isolation: test) { caller.isOpen }
                flood.withUnsafeBytes { _ = outgoing.send($0) }
                try await wait(isolation: test) { caller.reason != nil }
                #expect(caller.reason == .closedByPeer)
            }
        }
        let dropped = await connection.getStats().dropped
        // 4 KiB of each of five.
        let count = dropped.stun + dropped.datagrams
        #expect(count <= 5 * (4_096 / frame.count + 1) && (count > 0 || frame.count == 2))
        #expect(await connection.unconfirmedCount == 0)
        await connection.close()
    }
}

extension PeerConnection {
    fileprivate var listeningAddress: TransportAddress? {
        engine.sockets.tcp.values.compactMap(\.listener).first?.localAddress
    }
    fileprivate var unconfirmedCount: Int { engine.sockets.unconfirmed.count }
}
