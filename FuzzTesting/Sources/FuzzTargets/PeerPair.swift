import RTCMedia
import RTCPeer
import RTCTransport
import RTCWire

/// Two peers and a network that loses nothing and takes no time, unless it is told to.
struct PeerPair {
    let one: PeerEnd
    let other: PeerEnd
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    /// What both begin with.
    private let kinds: [MediaKind]
    private let hasData: Bool

    /// - Parameters:
    ///   - choices: What the two speak of: bit 0 is sound and bit 1 pictures, bit 3 is for no data channel beside them, and the rest
    ///     for what ``MediaCapabilities`` are made of.
    ///   - waitsForOffer: Whether the other one only answers.
    init(_ choices: UInt8, waitsForOffer: Bool = false) {
        kinds = [MediaKind.audio, .video].filter { choices & ($0 == .audio ? 1 : 2) != 0 }
        hasData = kinds.isEmpty || choices & 8 == 0
        let media = kinds.isEmpty ? MediaCapabilities() : MediaCapabilities(choices)
        one = PeerEnd(
            seed: 1, isPolite: false, address: TransportAddress(ip: IPAddress(10, 0, 0, 1), port: 1_000), media: media)
        other = PeerEnd(
            seed: 2, isPolite: true, address: TransportAddress(ip: IPAddress(10, 0, 0, 2), port: 2_000), media: media,
            waitsForOffer: waitsForOffer)
    }

    /// Lets one of the two have what it begins with, which makes it offer or answer.
    func begin(_ end: PeerEnd) {
        end.begin(kinds, hasData: hasData, at: now)
    }

    /// Carries what either says to the other, until both are silent or have said a great deal.
    func exchange() {
        for _ in 0..<200 {
            let idle = [(one, other), (other, one)].allSatisfy { sender, receiver in
                let (signals, datagrams) = (sender.signals, sender.datagrams)
                sender.signals = []
                sender.datagrams = []
                for signal in signals { receiver.receive(signal, at: now) }
                for datagram in datagrams { receiver.receive(datagram, from: sender.address, at: now) }
                return signals.isEmpty && datagrams.isEmpty
            }
            if idle { return }
        }
    }

    /// A time in which nobody looks at the clock.
    mutating func pass(_ time: TimeDelta) {
        now += time
        one.handleTimeout(at: now)
        other.handleTimeout(at: now)
    }

    /// Some of the next deadlines, each in its time, and what is said at it.
    mutating func step(_ count: Int) {
        for _ in 0..<count {
            guard let next = [one.nextDeadline, other.nextDeadline].compactMap({ $0 }).min() else { return }
            pass(max(next - now, .zero))
            exchange()
        }
    }

    /// Changes what is on its way to the one: a packet of the other's is altered, lost, repeated or overtaken.
    func disturb(_ input: inout FuzzInput) {
        let (choice, place) = (input.byte(), Int(input.byte()))
        guard !other.datagrams.isEmpty else { return }
        let index = place % other.datagrams.count
        switch choice % 8 {
        case 0: other.datagrams.remove(at: index)
        case 1: other.datagrams.append(other.datagrams[index])
        case 2: other.datagrams.swapAt(index, Int(choice >> 3) % other.datagrams.count)
        default: other.datagrams[index] = input.mutate(other.datagrams[index])
        }
    }

    /// Lets them connect. Without a network that misbehaves nothing may keep them from it.
    mutating func connect() {
        // The other one has its tracks when the offer comes, so that one exchange speaks of both sides'.
        other.begin(kinds, hasData: false, at: now)
        begin(one)
        for _ in 0..<500 where one.state != .connected || other.state != .connected || hasData && other.channels.isEmpty
        {
            exchange()
            pass(.milliseconds(20))
        }
        precondition(one.state == .connected && other.state == .connected, "the two do not connect")
        precondition(one.transceivers.count == kinds.count && other.transceivers.count == kinds.count)
    }
}
