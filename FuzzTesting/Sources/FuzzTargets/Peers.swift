import RTCPeer
import RTCTransport
import RTCWire

private let stranger = TransportAddress(ip: IPAddress(192, 0, 2, 7), port: 7_777)

/// A peer that has no connection yet, and gets whatever may come from signalling and from the network.
func fuzzSetUp(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var pair = PeerPair()
    // Real words to garble: an offer with candidates, or the answer to it.
    pair.other.open(DataChannelParameters(label: "data"), at: pair.now)
    var words = pair.other.signals
    let choices = input.byte()
    if choices & 1 != 0 { pair.one.open(DataChannelParameters(label: "mine"), at: pair.now) }
    if choices & 2 != 0, let offer = words.first {
        pair.one.receive(offer, at: pair.now)
        words += pair.one.signals
    }

    for _ in 0..<64 where !input.isEmpty {
        let remote = input.byte() % 2 == 0 ? pair.other.address : stranger
        switch input.number(below: 12) {
        case 0, 1: pair.one.receive(input.chunk(), from: remote, on: UInt32(input.byte() % 3), at: pair.now)
        case 2: pair.one.receive(input.mutate(pair.other.lastDatagram), from: remote, at: pair.now)
        case 3: pair.one.receive(input.mutate(pair.one.lastDatagram), from: remote, at: pair.now)
        case 4, 5:
            guard !words.isEmpty else { break }
            pair.one.receive(garbled(words[input.number(below: words.count)], &input), at: pair.now)
        case 6:
            let type: SessionDescription.Kind = input.byte() % 2 == 0 ? .offer : .answer
            pair.one.receive(.description(SessionDescription(type: type, sdp: input.text())), at: pair.now)
        case 7:
            let candidate = ICECandidateInit(candidate: input.text(limit: 300), sdpMid: "0", sdpMLineIndex: 0)
            pair.one.receive(.candidate(candidate), at: pair.now)
        case 8: pair.pass(.milliseconds(Int64(input.byte()) * 50))
        case 9: pair.one.restartICE(at: pair.now)
        case 10: pair.exchange()
        default:
            switch input.number(below: 8) {
            case 0: pair.one.close(at: pair.now)
            case 1: pair.one.loseSocket(0, at: pair.now)
            case 2: pair.one.closeChannel(at: pair.now)
            default: pair.one.open(DataChannelParameters(label: input.text(limit: 30)), at: pair.now)
            }
        }
        pair.one.datagrams.removeAll(keepingCapacity: true)
    }
}

/// Two peers that are connected, one of which gets more than the other sends.
func fuzzConnected(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var pair = PeerPair()
    pair.connect()
    for _ in 0..<64 where !input.isEmpty {
        let remote = input.byte() % 4 == 0 ? stranger : pair.other.address
        switch input.number(below: 12) {
        case 0, 1: pair.one.receive(input.chunk(), from: remote, at: pair.now)
        case 2, 3, 4: pair.one.receive(input.mutate(pair.other.lastDatagram), from: remote, at: pair.now)
        case 5: pair.one.receive(pair.other.lastDatagram, from: remote, at: pair.now)
        case 6: pair.one.send(input.chunk(limit: 3_000), at: pair.now)
        case 7: pair.other.send(input.chunk(limit: 3_000), at: pair.now)
        case 8: pair.pass(.milliseconds(Int64(input.byte()) * 50))
        case 9: pair.exchange()
        case 10:
            let description = SessionDescription(type: .offer, sdp: input.text())
            pair.one.receive(.description(description), at: pair.now)
        default:
            switch input.number(below: 8) {
            case 0: pair.one.close(at: pair.now)
            case 1: pair.one.restartICE(at: pair.now)
            case 2: pair.other.restartICE(at: pair.now)
            case 3: pair.one.closeChannel(at: pair.now)
            default: pair.one.open(DataChannelParameters(label: input.text(limit: 30)), at: pair.now)
            }
        }
    }
}

/// What somebody said, with some of its bytes changed.
private func garbled(_ signal: Signal, _ input: inout FuzzInput) -> Signal {
    switch signal {
    case .description(var description):
        description.sdp = String(decoding: input.mutate(Array(description.sdp.utf8)), as: UTF8.self)
        return .description(description)
    case .candidate(var candidate):
        candidate.candidate = String(decoding: input.mutate(Array(candidate.candidate.utf8)), as: UTF8.self)
        return .candidate(candidate)
    }
}
