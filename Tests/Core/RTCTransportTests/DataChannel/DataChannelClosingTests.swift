import RTCWire
import Testing

@testable import RTCTransport

@Suite("Data channels close (RFC 8831, section 6.7)")
struct DataChannelClosingTests {
    private struct Ends {
        var link: ChannelLink
        var a = ChannelLog()
        var b = ChannelLog()

        init(conditions: LinkConditions = LinkConditions(), seed: UInt64 = 1) {
            link = ChannelLink(conditions: conditions, seed: seed)
            link.start()
            run { $0.a.isAssociated && $0.b.isAssociated }
        }

        /// Lets time pass until `isDone`.
        @discardableResult
        mutating func run(for duration: TimeDelta = .seconds(120), until isDone: (Ends) -> Bool = { _ in false })
            -> Bool
        {
            let deadline = link.now + duration
            while link.now < deadline {
                link.run(for: .milliseconds(5))
                a.take(&link.a, at: link.now)
                b.take(&link.b, at: link.now)
                if isDone(self) { return true }
            }
            return false
        }

        /// A channel that is open on both ends.
        mutating func open(_ parameters: DataChannelParameters = DataChannelParameters()) throws -> (
            local: ChannelLog.ID, remote: ChannelLog.ID
        ) {
            let known = b.incoming.count
            let local = try link.a.open(parameters, at: link.now)
            run { $0.b.incoming.count > known }
            return (local, try #require(b.incoming.last))
        }
    }

    @Test("a channel whose whole life falls between two polls can be announced all the same")
    func wholeLife() throws {
        var ends = Ends()
        let parameters = DataChannelParameters(label: "brief", protocol: "p", ordered: false, maxRetransmits: 3)
        let local = try ends.link.a.open(parameters, at: ends.link.now)
        try ends.link.a.send(DataChannelMessage("all of it"), on: local, at: ends.link.now)
        ends.link.a.close(local, at: ends.link.now)
        ends.link.run(for: .seconds(5))
        var seen: [String] = []
        var remote: ChannelLog.ID?
        while let event = ends.link.b.pollEvent() {
            switch event {
            case .incoming(let id, let announced):
                #expect(announced == parameters)
                #expect(ends.link.b.parameters(of: id) == parameters)
                #expect(ends.link.b.streamID(of: id) == 0)
                #expect(ends.link.b.state(of: id) == .closed)
                remote = id
                seen.append("incoming")
            case .message(let id, let message):
                #expect(id == remote && message == DataChannelMessage("all of it"))
                ends.link.b.consumed(message.bytes.count, on: id, at: ends.link.now)
                seen.append("message")
            case .closing(let id):
                #expect(id == remote)
                seen.append("closing")
            case .closed(let id):
                #expect(id == remote)
                #expect(ends.link.b.parameters(of: id) == nil && ends.link.b.streamID(of: id) == nil)
                seen.append("closed")
            default: seen.append("another")
            }
        }
        #expect(seen == ["incoming", "message", "closing", "closed"])
        #expect(ends.link.b.association.window.buffered == 0 && ends.link.b.association.window.overhead == 0)
    }

    @Test(
        "what was sent arrives first; both ends are told, once; the number is used again",
        arguments: 0..<10 as Range<UInt64>)
    func close(seed: UInt64) throws {
        var ends = Ends(conditions: .terrible, seed: seed)
        let channel = try ends.open()
        for number in 0..<20 {
            try ends.link.a.send(
                DataChannelMessage(bytes: [UInt8](repeating: UInt8(number), count: 3_000), isText: false),
                on: channel.local,
                at: ends.link.now)
        }
        ends.link.a.close(channel.local, at: ends.link.now)
        #expect(ends.link.a.state(of: channel.local) == .closing)
        #expect(throws: DataChannelError.self) {
            try ends.link.a.send(DataChannelMessage("late"), on: channel.local, at: ends.link.now)
        }
        let isClosed = ends.run { !$0.a.closed.isEmpty && !$0.b.closed.isEmpty }
        #expect(isClosed)
        #expect(ends.b.messages.map { $0.message.bytes.first } == (0..<20).map { UInt8($0) })
        #expect(ends.a.closed == [channel.local] && ends.b.closed == [channel.remote])
        #expect(ends.a.closing.isEmpty && ends.b.closing == [channel.remote])
        #expect(ends.link.a.state(of: channel.local) == .closed)
        #expect(ends.link.a.parameters(of: channel.local) == nil)
        // The same stream again, at once, several times.
        for round in 0..<3 {
            let again = try ends.open(DataChannelParameters(label: "again \(round)"))
            #expect(ends.link.a.streamID(of: again.local) == 0)
            #expect(ends.link.b.parameters(of: again.remote)?.label == "again \(round)")
            try ends.link.a.send(DataChannelMessage("\(round)"), on: again.local, at: ends.link.now)
            try ends.link.b.send(DataChannelMessage("\(round)"), on: again.remote, at: ends.link.now)
            ends.link.b.close(again.remote, at: ends.link.now)
            ends.run { $0.a.closed.contains(again.local) && $0.b.closed.contains(again.remote) }
            #expect(ends.b.messages(on: again.remote).map(\.bytes) == [[UInt8(48 + round)]])
            #expect(ends.a.messages(on: again.local).map(\.bytes) == [[UInt8(48 + round)]])
        }
        #expect(ends.link.a.statistics.channelsOpened == 4 && ends.link.a.statistics.channelsClosed == 4)
    }

    @Test("both ends close at once", arguments: 0..<6 as Range<UInt64>)
    func both(seed: UInt64) throws {
        var ends = Ends(conditions: .terrible, seed: seed)
        let channel = try ends.open()
        ends.link.a.close(channel.local, at: ends.link.now)
        ends.link.b.close(channel.remote, at: ends.link.now)
        let isClosed = ends.run { !$0.a.closed.isEmpty && !$0.b.closed.isEmpty }
        #expect(isClosed)
        ends.run(for: .seconds(5))
        #expect(ends.a.closed == [channel.local] && ends.b.closed == [channel.remote])
    }

    @Test("others stay open")
    func others() throws {
        var ends = Ends()
        let first = try ends.open()
        let second = try ends.open()
        ends.link.b.close(first.remote, at: ends.link.now)
        ends.run(for: .seconds(1))
        #expect(ends.a.closed == [first.local])
        try ends.link.b.send(DataChannelMessage("still"), on: second.remote, at: ends.link.now)
        ends.run(for: .seconds(1))
        #expect(ends.a.messages(on: second.local) == [DataChannelMessage("still")])
    }

    @Test("a channel that was never announced closes at once")
    func early() throws {
        var link = ChannelLink()
        let id = try link.a.open(DataChannelParameters(), at: link.now)
        link.a.close(id, at: link.now)
        var a = ChannelLog()
        a.take(&link.a, at: link.now)
        #expect(a.closed == [id])
        link.start()
        var b = ChannelLog()
        link.run(for: .seconds(1)) { b.take(&$0.b, at: $0.now) }
        #expect(b.incoming.isEmpty)
    }

    @Test("a channel closed right after its opening", arguments: 0..<6 as Range<UInt64>)
    func immediately(seed: UInt64) throws {
        var ends = Ends(conditions: .terrible, seed: seed)
        let id = try ends.link.a.open(DataChannelParameters(label: "short"), at: ends.link.now)
        try ends.link.a.send(DataChannelMessage("only"), on: id, at: ends.link.now)
        ends.link.a.close(id, at: ends.link.now)
        let isClosed = ends.run { !$0.a.closed.isEmpty && !$0.b.closed.isEmpty }
        #expect(isClosed)
        #expect(ends.b.messages.map(\.message) == [DataChannelMessage("only")])
    }

    @Test("the end of the association closes every channel")
    func end() throws {
        var ends = Ends()
        let channel = try ends.open()
        _ = try ends.open()
        ends.link.b.abort(at: ends.link.now)
        ends.run(for: .seconds(1))
        #expect(ends.a.closed.count == 2 && ends.b.closed.count == 2)
        #expect(ends.b.failure == .aborted)
        #expect(ends.a.failure == .abortedByPeer(cause: 12))
        #expect(ends.link.a.state(of: channel.local) == .closed)
        #expect(throws: DataChannelError.self) { try ends.link.a.open(DataChannelParameters(), at: ends.link.now) }
        #expect(ends.link.a.nextDeadline == nil)
    }

    @Test("a shutdown delivers first")
    func shutdown() throws {
        var ends = Ends()
        let channel = try ends.open()
        try ends.link.a.send(
            DataChannelMessage(bytes: [UInt8](repeating: 0, count: 100_000), isText: false), on: channel.local,
            at: ends.link.now)
        ends.link.a.shutdown(at: ends.link.now)
        let isDone = ends.run(for: .seconds(10)) { $0.a.hasEnded && $0.b.hasEnded }
        #expect(isDone)
        #expect(ends.b.messages.count == 1)
        #expect(ends.b.closed == [channel.remote])
    }

    @Test("an opening on a number of ours, or a malformed one, is refused by a reset; a repeated one is ignored")
    func badOpenings() throws {
        var ends = Ends()
        let channel = try ends.open()
        let open = DataChannelOpenMessage(DataChannelParameters(label: "bad")).bytes
        func send(_ stream: UInt16, _ bytes: [UInt8]) throws {
            try ends.link.a.association.send(
                SCTPMessage(stream: stream, protocolIdentifier: 50, bytes: bytes), at: ends.link.now)
        }
        try send(1, open)  // A is the client, and odd numbers are B's.
        try send(4, Array(open.dropLast()))
        try send(6, [9])
        try send(0, open)
        ends.run(for: .seconds(1))
        #expect(ends.b.incoming.count == 1)
        #expect(ends.link.b.statistics.channelsRefused == 3)
        #expect(ends.link.b.statistics.messagesIgnored == 1)
        #expect(ends.link.b.state(of: channel.remote) == .open)
    }

    @Test("what the peer's openings make us keep is bounded")
    func flood() throws {
        var ends = Ends()
        let label = String(repeating: "x", count: 60_000)
        for stream in stride(from: 0, to: 200, by: 2) as StrideTo<UInt16> {
            let open = DataChannelOpenMessage(DataChannelParameters(label: label)).bytes
            try ends.link.a.association.send(
                SCTPMessage(stream: stream, protocolIdentifier: 50, bytes: open), at: ends.link.now)
        }
        ends.run(for: .seconds(5))
        #expect(ends.b.incoming.count == DataChannelTransport.maximumNameBytes / 60_000)
        #expect(ends.link.b.statistics.channelsRefused == UInt64(100 - ends.b.incoming.count))
    }
}
