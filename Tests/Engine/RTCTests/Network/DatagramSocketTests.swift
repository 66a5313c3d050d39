import EventLoopTesting
import NIOCore
import NIOPosix
import RTCWire
import Testing

@testable import RTC

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("Datagram sockets")
struct DatagramSocketTests {
    @Test("A batch of many segments arrives whole and in order")
    func batchArrives() async throws {
        try await onEventLoop { actor, loop in
            let (sender, receiver, inbox) = try pair(on: loop)
            let remote = receiver.localAddress
            var batches = 0
            DatagramMemory.ofThisThread.transmit { batch in
                guard batches < 4 else { return false }
                batch.path = TransportPath(socket: sender.id, remote: remote)
                for index in 0..<32 {
                    let datagram = [UInt8](repeating: UInt8(batches * 32 + index), count: index == 31 ? 700 : 1200)
                    datagram.withUnsafeBytes { _ = batch.append($0) }
                }
                batches += 1
                return true
            } send: {
                sender.send($0)
            }
            try await wait(isolation: actor) { inbox.datagrams.count >= 128 }
            for index in 0..<min(128, inbox.datagrams.count) {
                let size = index % 32 == 31 ? 700 : 1200
                #expect(inbox.datagrams[index] == [UInt8](repeating: UInt8(index), count: size))
            }
            #expect(inbox.datagrams.count == 128)
            #expect(inbox.remotes == [sender.localAddress])
            #expect(inbox.bursts >= 1)
            #expect(sender.statistics.datagramsSent == 128)
            #expect(receiver.statistics.datagramsReceived == 128)
            sender.close()
            receiver.close()
        }
    }

    @Test("Both directions carry single datagrams of every size, the empty one aside")
    func singleDatagrams() async throws {
        try await onEventLoop { actor, loop in
            let (first, second, inbox) = try pair(on: loop)
            let sizes = [1, 2, 100, 1200, 1472, 9000, 40_000]
            for size in sizes { send([UInt8](repeating: 7, count: size), from: first, to: second.localAddress) }
            try await wait(isolation: actor) { inbox.datagrams.count >= sizes.count }
            #expect(inbox.datagrams.map(\.count).sorted() == sizes)
            let reply = Inbox()
            first.owner = reply
            send([1, 2, 3], from: second, to: first.localAddress)
            try await wait(isolation: actor) { reply.datagrams.count >= 1 }
            #expect(reply.datagrams == [[1, 2, 3]])
            first.close()
            second.close()
        }
    }

    @Test("IPv6 works as IPv4 does")
    func version6() async throws {
        try await onEventLoop { actor, loop in
            let loopback = IPAddress(v6High: 0, low: 1)
            let (first, second, inbox) = try pair(on: loop, address: loopback)
            send([UInt8](repeating: 9, count: 3000), segmentSize: 1200, from: first, to: second.localAddress)
            try await wait(isolation: actor) { inbox.datagrams.count >= 3 }
            #expect(inbox.datagrams.map(\.count) == [1200, 1200, 600])
            #expect(inbox.remotes == [first.localAddress])
            first.close()
            second.close()
        }
    }

    #if os(Linux)
        @Test("How long a datagram lay in the socket is known, so that a busy machine does not look like a slow path")
        func waitingTime() async throws {
            try await onEventLoop { actor, loop in
                let (first, second, inbox) = try pair(on: loop)
                send([1], from: first, to: second.localAddress)
                try await wait(isolation: actor) { inbox.datagrams.count >= 1 }
                #expect(inbox.waitingTimes == [.zero])
                second.measuresWaiting = true
                // The first question is what makes the kernel take note.
                send([2], from: first, to: second.localAddress)
                try await wait(isolation: actor) { inbox.datagrams.count >= 2 }
                send([3], from: first, to: second.localAddress)
                usleep(60_000)
                try await wait(isolation: actor) { inbox.datagrams.count >= 3 }
                #expect(inbox.waitingTimes[2] >= .milliseconds(59))
                #expect(inbox.waitingTimes[2] < .milliseconds(900))
                first.close()
                second.close()
            }
        }
    #endif

    @Test("A destination that cannot be reached is counted, and the socket lives on")
    func unreachableDestination() async throws {
        try await onEventLoop { actor, loop in
            let (first, second, inbox) = try pair(on: loop)
            // A broadcast address without permission, a family that the socket has not, and port 0.
            send([1], from: first, to: TransportAddress(ip: IPAddress(255, 255, 255, 255), port: 9))
            send([1], from: first, to: TransportAddress(ip: IPAddress(v6High: 0, low: 1), port: 9))
            send([1], from: first, to: TransportAddress(ip: IPAddress(127, 0, 0, 1), port: 0))
            #expect(first.statistics.sendErrors == 3)
            #expect(first.statistics.lastErrorCode != 0)
            // Nobody listens here: the kernel may report that to the next call.
            let closed = try bind(on: loop)
            let nobody = closed.localAddress
            closed.close()
            for _ in 0..<5 { send([2], from: first, to: nobody) }
            send([3], from: first, to: second.localAddress)
            try await wait(isolation: actor) { inbox.datagrams.count >= 1 }
            #expect(inbox.datagrams == [[3]])
            #expect(first.isOpen)
            first.close()
            second.close()
        }
    }

    @Test("Datagrams too large to segment leave one by one, and only the faulty ones are lost")
    func refusedSegmentation() async throws {
        try await onEventLoop { actor, loop in
            let (first, second, inbox) = try pair(on: loop)
            // More than 64 KiB in one segmented write is refused as a whole.
            send([UInt8](repeating: 5, count: 66_000), segmentSize: 1100, from: first, to: second.localAddress)
            try await wait(isolation: actor) { inbox.datagrams.count >= 60 }
            #expect(inbox.datagrams.allSatisfy { $0.count == 1100 })
            #expect(first.statistics.datagramsSent == 60)
            if DatagramSystemCalls.hasSegmentationOffload {
                #expect(first.statistics.segmentationRefusals == 1)
            }
            first.close()
            second.close()
        }
    }

    @Test("Closing frees the descriptor at once, and sending afterwards does nothing")
    func closingFreesDescriptor() async throws {
        try await onEventLoop { actor, loop in
            // Other tests open descriptors at the same time: what counts is that ours do not add up.
            let before = openDescriptors()
            for _ in 0..<2_000 {
                let socket = try bind(on: loop)
                socket.close()
                #expect(!socket.isOpen)
                send([1], from: socket, to: socket.localAddress)
                #expect(socket.statistics.datagramsSent == 0)
            }
            #expect(openDescriptors() - before < 500)
        }
    }

    @Test("A released socket that nobody closed does not keep its owner")
    func ownerIsNotRetained() async throws {
        try await onEventLoop { actor, loop in
            let socket = try bind(on: loop)
            weak var weakOwner: Inbox?
            do {
                let owner = Inbox()
                weakOwner = owner
                socket.owner = owner
            }
            #expect(weakOwner == nil)
            socket.close()
        }
    }

    @Test("The owner may close the socket while datagrams are delivered")
    func closeWhileReceiving() async throws {
        try await onEventLoop { actor, loop in
            let (first, second, inbox) = try pair(on: loop)
            inbox.closesSocket = true
            for _ in 0..<20 { send([1, 2, 3], from: first, to: second.localAddress) }
            try await wait(isolation: actor) { inbox.datagrams.count >= 1 }
            #expect(inbox.datagrams.count == 1)
            #expect(inbox.bursts == 0)
            #expect(!second.isOpen)
            first.close()
        }
    }
}

// MARK: - Scaffolding

/// Collects what a socket delivers.
final class Inbox: DatagramSocketOwner {
    var datagrams: [[UInt8]] = []
    var remotes: Set<TransportAddress> = []
    var waitingTimes: [TimeDelta] = []
    var bursts = 0
    var closesSocket = false

    func datagramSocket(_ socket: DatagramSocket, received batch: ReceivedDatagrams) {
        batch.forEach { datagrams.append(Array($0)) }
        remotes.insert(batch.remote)
        waitingTimes.append(batch.waitingTime)
        if closesSocket { socket.close() }
    }

    func datagramSocketDidReadBurst(_ socket: DatagramSocket) { bursts += 1 }
    func datagramSocketDidBecomeWritable(_ socket: DatagramSocket) {}
    func datagramSocket(_ socket: DatagramSocket, didFailWith error: any Error) {
        Issue.record("The socket failed: \(error)")
    }
}

private func bind(on loop: any EventLoop, address: IPAddress = IPAddress(127, 0, 0, 1)) throws -> DatagramSocket {
    try DatagramSocket.bind(to: address, on: loop, random: SeededRandom(seed: 1))
}

private func pair(
    on loop: any EventLoop, address: IPAddress = IPAddress(127, 0, 0, 1)
) throws -> (DatagramSocket, DatagramSocket, Inbox) {
    let inbox = Inbox()
    let sender = try bind(on: loop, address: address)
    let receiver = try bind(on: loop, address: address)
    receiver.owner = inbox
    return (sender, receiver, inbox)
}

private func send(
    _ bytes: [UInt8], segmentSize: Int? = nil, from socket: DatagramSocket, to remote: TransportAddress
) {
    bytes.withUnsafeBytes { socket.send($0, segmentSize: segmentSize ?? bytes.count, to: remote) }
}

/// The number of descriptors that this process has open.
private func openDescriptors() -> Int {
    (0..<8_192).count { fcntl(CInt($0), F_GETFD) >= 0 }
}
