import RTCPeer
import RTCTransport
import RTCWire

private let stranger = TransportAddress(ip: IPAddress(192, 0, 2, 7), port: 7_777)

/// A peer that has no connection yet, and gets whatever may come from signalling and from the network.
func fuzzSetUp(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let choices = input.byte()
    var pair = PeerPair(input.byte())
    // Real words to garble: an offer with candidates, or the answer to it.
    pair.begin(pair.other)
    var words = pair.other.signals
    if choices & 1 != 0 { pair.begin(pair.one) }
    if choices & 2 != 0, let offer = words.first {
        pair.one.receive(offer, at: pair.now)
        words += pair.one.signals
    }

    for _ in 0..<64 where !input.isEmpty {
        let remote = input.byte() % 2 == 0 ? pair.other.address : stranger
        switch input.number(below: 14) {
        case 0, 1: pair.one.receive(input.chunk(), from: remote, on: UInt32(input.byte() % 3), at: pair.now)
        case 2: pair.one.receive(input.mutate(pair.other.lastDatagram), from: remote, at: pair.now)
        case 3: pair.one.receive(input.mutate(pair.one.lastDatagram), from: remote, at: pair.now)
        case 4, 5, 12:
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
        case 13: pair.one.changeMedia(&input, at: pair.now)
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
    var pair = PeerPair(input.byte(), waitsForOffer: true)
    pair.connect()
    for _ in 0..<64 where !input.isEmpty {
        let choice = input.byte()
        let remote = choice >= 0xE0 ? stranger : pair.other.address
        switch choice & 0x1F {
        case 0: pair.one.receive(input.chunk(), from: remote, at: pair.now)
        case 1, 2: pair.one.receive(input.mutate(pair.other.lastDatagram), from: remote, at: pair.now)
        case 3: pair.one.receive(pair.other.lastDatagram, from: remote, at: pair.now)
        case 4, 5, 6: pair.disturb(&input)
        case 7: pair.one.send(input.chunk(limit: 3_000), at: pair.now)
        case 8: pair.other.send(input.chunk(limit: 3_000), at: pair.now)
        case 9: pair.pass(.milliseconds(Int64(input.byte()) * 50))
        case 10, 11: pair.step(1 + input.number(below: 8))
        case 12, 13: pair.exchange()
        case 14: pair.one.sendMedia(&input, at: pair.now)
        case 15, 16, 17: pair.other.sendMedia(&input, at: pair.now)
        case 18, 19, 20: pair.one.receive(pair.other.log.rtp(&input), from: remote, at: pair.now)
        case 21, 22, 23:
            pair.one.receive(pair.other.log.rtcp(about: pair.one.log, &input), from: remote, at: pair.now)
        case 24: pair.one.changeMedia(&input, at: pair.now)
        case 25: pair.other.changeMedia(&input, at: pair.now)
        case 26, 27:
            guard let words = pair.other.signals.first ?? pair.other.lastDescription else { break }
            let signal = garbled(words, &input)
            pair.one.receive(choice & 0x20 == 0 ? asOffer(signal) : signal, at: pair.now)
        case 28:
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

/// An answer that nobody waits for would be refused at once.
private func asOffer(_ signal: Signal) -> Signal {
    guard case .description(let description) = signal else { return signal }
    return .description(SessionDescription(type: .offer, sdp: description.sdp))
}
