import Foundation
import RTC
import Synchronization
import Testing

@testable import WebRTCKit

/// A delegate that keeps what it is told.
final class Reader: RTCDataChannelDelegate {
    private struct State {
        var messages: [RTCDataBuffer] = []
        var states: [RTCDataChannelState] = []
        var amounts: [UInt64] = []
    }

    private let state = Mutex(State())

    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel) {
        let new = dataChannel.readyState
        state.withLock { $0.states.append(new) }
    }

    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer) {
        state.withLock { $0.messages.append(buffer) }
    }

    func dataChannel(_ dataChannel: RTCDataChannel, didChangeBufferedAmount amount: UInt64) {
        state.withLock { $0.amounts.append(amount) }
    }

    var messages: [RTCDataBuffer] { state.withLock { $0.messages } }
    var texts: [String] { messages.map { String(decoding: $0.data, as: UTF8.self) } }
    var states: [RTCDataChannelState] { state.withLock { $0.states } }
    var amounts: [UInt64] { state.withLock { $0.amounts } }
}

/// A delegate with the two requirements that there are.
final class LeastReader: RTCDataChannelDelegate {
    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel) {}
    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer) {}
}

@Suite("Data channels of a call", .timeLimit(.minutes(2)))
struct KitDataChannelTests {
    @Test("Before the call runs a channel cannot be opened, and the error says so")
    func tooEarly() async throws {
        let pair = try await CallPair()
        try await pair.alice.controller.sendCallRequest(to: "bob")
        #expect(await pair.bob.diary.wait(for: "incoming alice"))
        do {
            _ = try await pair.alice.controller.createDataChannel(label: "early")
            Issue.record("it was opened")
        } catch CallManagerError.needsCall(let message) {
            #expect(message.contains("callDidStart"))
        }
        try await pair.alice.controller.endCall()
    }

    @Test("Bug 7: Either side opens channels, and each is told of the other's alone")
    func bothSides() async throws {
        let pair = try await CallPair.running()
        let first = try await pair.alice.controller.createDataChannel(label: "of alice")
        let second = try await pair.bob.controller.createDataChannel(label: "of bob")
        #expect(await pair.bob.diary.wait(for: "channel of alice"))
        #expect(await pair.alice.diary.wait(for: "channel of bob"))
        #expect(!pair.alice.diary.words.contains("channel of alice"))
        #expect(!pair.bob.diary.words.contains("channel of bob"))
        let readers = [Reader(), Reader(), Reader(), Reader()]
        let channels = [
            first, second, try #require(pair.bob.diary.channels.first), try #require(pair.alice.diary.channels.first),
        ]
        for (channel, reader) in zip(channels, readers) { await channel.setDelegate(reader) }
        for channel in channels { #expect(await channel.sendData(Data("from \(channel.label)".utf8))) }
        #expect(await eventually { readers.allSatisfy { $0.messages.count == 1 } })
        #expect(readers.map(\.texts.first) == ["from of alice", "from of bob", "from of alice", "from of bob"])
        #expect(channels[0].channelId == channels[2].channelId)
        #expect(first.channelId != second.channelId)
        try await pair.hangUp()
        #expect(await eventually { channels.allSatisfy { $0.readyState == .closed } })
        #expect(await eventually { readers.allSatisfy { $0.states.last == .closed } })
        #expect(await first.sendData(Data([1])) == false)
        #expect(!first.dataChannel.sendData(RTCDataBuffer(data: Data([1]), isBinary: true)))
        #expect(first.channelId >= 0)
    }

    @Test("What comes before there is a delegate waits for one, in order")
    func early() async throws {
        let pair = try await CallPair.running()
        let channel = try await pair.alice.controller.createDataChannel(label: "data")
        for number in 0..<500 { #expect(await channel.sendData(Data("\(number)".utf8))) }
        #expect(await pair.bob.diary.wait(for: "channel data"))
        let other = try #require(pair.bob.diary.channels.first)
        try await Task.sleep(for: .milliseconds(100))
        let first = Reader()
        await other.setDelegate(first)
        #expect(await eventually { first.messages.count == 500 })
        #expect(first.texts == (0..<500).map { "\($0)" })
        // Without a delegate it waits again.
        await other.setDelegate(nil)
        for number in 500..<510 { #expect(await channel.sendData(Data("\(number)".utf8))) }
        try await Task.sleep(for: .milliseconds(50))
        let second = Reader()
        await other.setDelegate(second)
        #expect(await eventually { second.messages.count == 10 })
        #expect(second.texts == (500..<510).map { "\($0)" })
        try await pair.hangUp()
    }

    @Test("What has arrived before the call ended can still be read")
    func late() async throws {
        let pair = try await CallPair.running()
        let channel = try await pair.alice.controller.createDataChannel(label: "data")
        #expect(await channel.sendData(Data("last words".utf8)))
        #expect(await pair.bob.diary.wait(for: "channel data"))
        let other = try #require(pair.bob.diary.channels.first)
        try await Task.sleep(for: .milliseconds(200))
        try await pair.hangUp()
        let reader = Reader()
        await other.setDelegate(reader)
        #expect(await eventually { reader.states == [.closed] })
        #expect(reader.texts == ["last words"])
    }

    @Test("A channel with a delegate need not be kept, one without is closed when it is let go of")
    func kept() async throws {
        let pair = try await CallPair.running()
        let reader = Reader()
        let first = try await pair.alice.controller.createDataChannel(label: "first")
        let second = try await pair.alice.controller.createDataChannel(label: "second")
        #expect(await pair.bob.diary.wait(for: "channel first"))
        #expect(await pair.bob.diary.wait(for: "channel second"))
        for channel in pair.bob.diary.channels where channel.label == "first" { await channel.setDelegate(reader) }
        pair.bob.diary.forget()
        #expect(await eventually { second.readyState == .closed })
        #expect(await first.sendData(Data("still here".utf8)))
        #expect(await eventually { reader.texts == ["still here"] })
        #expect(first.readyState == .open)
        try await pair.hangUp()
        #expect(await eventually { reader.states.last == .closed })
    }

    @Test("Texts and bytes arrive as what they are, queued and waited for, in order")
    func kinds() async throws {
        let pair = try await CallPair.running()
        let channel = try await pair.alice.controller.createDataChannel(label: "data")
        let sender = Reader()
        await channel.setDelegate(sender)
        #expect(await eventually { channel.readyState == .open })
        #expect(channel.dataChannel.sendData(RTCDataBuffer(data: Data("text".utf8), isBinary: false)))
        #expect(await channel.sendData(Data([0, 255, 1])))
        #expect(channel.dataChannel.sendData(RTCDataBuffer(data: Data(), isBinary: true)))
        #expect(await channel.sendData(RTCDataBuffer(data: Data(), isBinary: false)))
        let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        #expect(await channel.sendData(large))
        #expect(await channel.sendData(Data(count: 1 << 20)) == false)
        #expect(await channel.sendData(Data("end".utf8)))
        #expect(await pair.bob.diary.wait(for: "channel data"))
        let reader = Reader()
        await pair.bob.diary.channels.first?.setDelegate(reader)
        #expect(await eventually { reader.messages.count == 6 })
        #expect(reader.messages.map(\.isBinary) == [false, true, true, false, true, true])
        #expect(reader.messages.map(\.data.count) == [4, 3, 0, 0, 200_000, 3])
        #expect(reader.messages.count == 6 && reader.messages[4].data == large)
        #expect(await eventually { sender.amounts.last == 0 })
        #expect(sender.states.first == .open)
        await channel.close()
        #expect(await eventually { sender.states == [.open, .closing, .closed] })
        #expect(await eventually { reader.states.last == .closed })
        try await pair.hangUp()
    }

    @Test("A configuration says how messages are carried, and what it cannot be")
    func configuration() async throws {
        let pair = try await CallPair.running()
        let config = RTCDataChannelConfiguration()
        config.maxRetransmits = 0
        config.isOrdered = false
        config.protocol = "game"
        let channel = try await pair.alice.controller.createDataChannel(label: "fast", config: config)
        #expect(channel.dataChannel.maxRetransmits == 0)
        #expect(await pair.bob.diary.wait(for: "channel fast"))
        let other = try #require(pair.bob.diary.channels.first).dataChannel
        #expect(other.maxRetransmits == 0 && !other.isOrdered && other.protocol == "game" && !other.isNegotiated)
        config.maxPacketLifeTime = 100
        await #expect(throws: CallManagerError.self) {
            _ = try await pair.alice.controller.createDataChannel(label: "both", config: config)
        }
        let wrong = RTCDataChannelConfiguration()
        wrong.maxRetransmits = 70_000
        await #expect(throws: CallManagerError.self) {
            _ = try await pair.alice.controller.createDataChannel(label: "wrong", config: wrong)
        }
        let negotiated = RTCDataChannelConfiguration()
        negotiated.isNegotiated = true
        await #expect(throws: CallManagerError.self) {
            _ = try await pair.alice.controller.createDataChannel(label: "no number", config: negotiated)
        }
        negotiated.channelId = 65_535
        await #expect(throws: CallManagerError.self) {
            _ = try await pair.alice.controller.createDataChannel(label: "a number too many", config: negotiated)
        }
        negotiated.channelId = 100
        let left = try await pair.alice.controller.createDataChannel(label: "agreed", config: negotiated)
        let right = try await pair.bob.controller.createDataChannel(label: "agreed", config: negotiated)
        let reader = Reader()
        await right.setDelegate(reader)
        #expect(await left.sendData(Data("by number".utf8)))
        #expect(await eventually { reader.texts == ["by number"] })
        try await pair.hangUp()
    }

    @Test("A sender that does not wait is told when there is no room")
    func full() async throws {
        let pair = try await CallPair.running()
        let channel = try await pair.alice.controller.createDataChannel(label: "data")
        #expect(await eventually { channel.readyState == .open })
        #expect(await pair.bob.diary.wait(for: "channel data"))
        let piece = RTCDataBuffer(data: Data(count: 200_000), isBinary: true)
        var count = 0
        while channel.dataChannel.sendData(piece), count < 1_000 { count += 1 }
        #expect(count < 1_000)
        #expect(channel.dataChannel.bufferedAmount > 8 << 20)
        let reader = Reader()
        await pair.bob.diary.channels.first?.setDelegate(reader)
        #expect(await eventually { reader.messages.count == count })
        #expect(channel.dataChannel.bufferedAmount == 0)
        try await pair.hangUp()
    }
}
