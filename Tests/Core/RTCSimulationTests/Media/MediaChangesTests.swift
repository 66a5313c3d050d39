import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("Changes in mid-call")
struct MediaChangesTests {
    private func connected(seed: UInt64) throws -> MediaCall {
        let call = try MediaCall(seed: seed)
        try #require(call.run(for: .seconds(5)) { $0.areConnected })
        call.run(for: .seconds(2))
        return call
    }

    @Test("Video that is added comes, and what flowed goes on", arguments: Seeds.few.prefix(3))
    func add(seed: UInt64) throws {
        let call = try MediaCall(seed: seed, isEmpty: true)
        try call.addMicrophone(on: .alice)
        try call.addMicrophone(on: .bob)
        try #require(call.run(for: .seconds(5)) { $0.areConnected })
        let sound = try call.recordAudio(to: .bob)
        call.run(for: .seconds(2))
        let added = call.pair.now
        try call.addCamera(on: .alice)
        call.run(for: .seconds(1))
        let first = try #require(call.pictures(of: call.cameras[0]).first)
        // An offer and an answer of 30 ms each, the next picture's capture, and 20 ms of network.
        #expect(first.time - added < .milliseconds(200))
        try call.addCamera(on: .bob)
        // And a second one, whose packets only their MID tells from the first's.
        try call.addCamera(on: .bob)
        call.run(for: .seconds(3))
        for camera in call.cameras { #expect(call.expectDecodable(camera) == 1) }
        let numbers = sound.packets.map(\.info.sequenceNumber)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 } && sound.resets <= 1)
        for endpoint in [call.pair.alice, call.pair.bob] {
            #expect(endpoint.peer.mediaCounters == MediaCounters())
            #expect(endpoint.refusedSignals.isEmpty)
        }
        #expect(call.pair.bob.events.count { if case .remoteTrack = $0.event { true } else { false } } == 2)
    }

    @Test("Video that is removed ends, the other direction goes on, and it comes back", arguments: Seeds.few.prefix(3))
    func remove(seed: UInt64) throws {
        let call = try connected(seed: seed)
        try call.pair.with(.alice) { try $0.removeTrack(call.cameras[0].transceiver, at: $1) }
        call.run(for: .seconds(1))
        let id = call.receiver(of: call.cameras[0].transceiver, on: .alice)
        let hasEnded = call.pair.bob.events.contains {
            if case .remoteTrackRemoved(let ended) = $0.event { ended == id } else { false }
        }
        let isSending = call.pair.alice.peer.isSending(call.cameras[0].transceiver)
        #expect(hasEnded && !isSending)
        let count = call.pictures(of: call.cameras[0]).count
        let others = call.pictures(of: call.cameras[1]).count
        call.run(for: .seconds(2))
        #expect(call.pictures(of: call.cameras[0]).count == count)
        #expect(call.pictures(of: call.cameras[1]).count > others + 50)
        try call.pair.with(.alice) {
            try $0.setDirection(.sendrecv, of: call.cameras[0].transceiver, at: $1)
        }
        call.cameras[0].needsKeyFrame = true
        call.run(for: .seconds(2))
        #expect(call.pictures(of: call.cameras[0]).count > count + 45)
        call.expectDecodable(call.cameras[0])
        call.expectDecodable(call.cameras[1])
        #expect(!call.pair.isStuck)
    }

    @Test(
        "A direction is kept to", arguments: [SDPDirection.sendonly, .recvonly, .inactive],
        [SimulatedSide.alice, .bob])
    func directions(direction: SDPDirection, side: SimulatedSide) throws {
        let call = try connected(seed: 1)
        let index = side.rawValue
        try call.pair.with(side) { try $0.setDirection(direction, of: call.cameras[index].transceiver, at: $1) }
        call.run(for: .seconds(1))
        let before = call.cameras.map { call.pictures(of: $0).count }
        call.run(for: .seconds(2))
        for camera in call.cameras {
            let mayCome = camera.side == side ? direction.sends : direction.receives
            let came = call.pictures(of: camera).count - before[camera.side.rawValue]
            #expect(mayCome ? came > 55 : came == 0, "\(camera.side): \(came)")
        }
        try call.pair.with(side) { try $0.setDirection(.sendrecv, of: call.cameras[index].transceiver, at: $1) }
        for index in call.cameras.indices { call.cameras[index].needsKeyFrame = true }
        call.run(for: .seconds(2))
        for camera in call.cameras {
            call.expectDecodable(camera)
            #expect(call.pictures(of: camera).last.map { call.pair.now - $0.time } ?? .seconds(9) < .milliseconds(200))
        }
        #expect(!call.pair.isStuck)
    }

    @Test("An ICE restart costs no picture", arguments: [SimulatedSide.alice, .bob], Seeds.few.prefix(3))
    func restart(side: SimulatedSide, seed: UInt64) throws {
        let call = try connected(seed: seed)
        let sound = try call.recordAudio(to: .bob)
        let before = call.pair.alice.peer.localUsernameFragment
        call.pair.restartICE(on: side)
        call.run(for: .seconds(4))
        #expect(call.pair.alice.peer.localUsernameFragment != before)
        for camera in call.cameras {
            #expect(call.expectDecodable(camera) == 1)
            #expect(camera.sent.count { $0.mark.reference == nil } == 1)
        }
        let numbers = sound.packets.map(\.info.sequenceNumber)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }

    @Test("A restart after the connection failed brings the pictures back", arguments: [SimulatedSide.alice, .bob])
    func failed(side: SimulatedSide) throws {
        let call = try connected(seed: 1)
        call.pair.setAllLinks(up: false)
        let haveFailed = call.run(for: .seconds(90)) {
            $0.alice.peer.connectionState == .failed && $0.bob.peer.connectionState == .failed
        }
        #expect(haveFailed && !call.pair.isStuck)
        call.pair.setAllLinks(up: true)
        call.pair.restartICE(on: side)
        #expect(call.run(for: .seconds(15)) { $0.areConnected })
        let counts = call.cameras.map { call.pictures(of: $0).count }
        call.run(for: .seconds(3))
        for (camera, count) in zip(call.cameras, counts) {
            call.expectDecodable(camera)
            #expect(call.pictures(of: camera).count > count + 60)
            let delays = call.delays(of: camera, since: call.pair.now - .seconds(1))
            #expect((delays.max() ?? .seconds(9)) < .milliseconds(200))
        }
    }

    @Test("Closing says good-bye for every source, once", arguments: Seeds.few.prefix(3))
    func goodbye(seed: UInt64) throws {
        let call = try connected(seed: seed)
        call.pair.close(.alice)
        call.run(for: .seconds(1))
        let ended = call.pair.bob.events.compactMap {
            if case .remoteSourceEnded(let id) = $0.event { id } else { nil }
        }
        #expect(ended.count == 2 && Set(ended).count == 2)
        #expect(call.pair.bob.peer.connectionState == .closed)
        call.pair.close(.bob)
        call.pair.expectSilence()
    }

    @Test("A transceiver that only receives waits without being woken", arguments: Seeds.few.prefix(3))
    func waiting(seed: UInt64) throws {
        let call = try MediaCall(seed: seed, isEmpty: true)
        try call.pair.with(.alice) { _ = try $0.addTransceiver(.video, direction: .recvonly, at: $1) }
        #expect(call.run(for: .seconds(5)) { $0.areConnected })
        call.run(for: .seconds(20))
        #expect(!call.pair.isStuck)
    }

    @Test("A stopped transceiver leaves nothing behind", arguments: Seeds.few.prefix(3))
    func stop(seed: UInt64) throws {
        let call = try connected(seed: seed)
        try call.pair.with(.alice) { try $0.stopTransceiver(call.cameras[0].transceiver, at: $1) }
        call.run(for: .seconds(2))
        #expect(call.pair.alice.peer.transceivers.count == 1 && call.pair.bob.peer.transceivers.count == 1)
        #expect(!call.pair.isStuck && call.pair.alice.refusedSignals.isEmpty && call.pair.bob.refusedSignals.isEmpty)
        let sound = try call.recordAudio(to: .bob)
        call.run(for: .seconds(1))
        #expect(sound.packets.count > 45)
        // And another one takes its place.
        try call.addCamera(on: .alice)
        call.run(for: .seconds(2))
        #expect(call.expectDecodable(try #require(call.cameras.last)) == 1)
    }

    @Test("Sound goes on when a codec with another clock is agreed upon", arguments: Seeds.few.prefix(3))
    func audioCodec(seed: UInt64) throws {
        let slow = RTPCodec(kind: .audio, name: "PCMU", clockRate: 8_000)
        var capabilities = MediaCapabilities.everything
        capabilities.audio.codecs.append(slow)
        let call = try MediaCall(seed: seed, capabilities: capabilities)
        try #require(call.run(for: .seconds(5)) { $0.areConnected })
        call.run(for: .seconds(2))
        let sound = try call.recordAudio(to: .bob)
        // The offer for another camera carries the wish.
        let microphone = call.microphones[0].transceiver
        try call.pair.with(.alice) { (peer, _) throws in try peer.setCodecPreferences([slow], of: microphone) }
        try call.addCamera(on: .alice)
        call.run(for: .milliseconds(200))
        call.microphones[0].format = .pcmu
        let before = sound.packets.count
        call.run(for: .seconds(4))
        #expect(sound.packets.count > before + 190)
        #expect(sound.packets.last?.info.codec.codec.name == "PCMU")
        #expect(call.pair.alice.peer.srtpCounters?.repeatedWhenSending == 0)
        let numbers = sound.packets.suffix(150).map(\.info.sequenceNumber)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
        // The report says when it was captured, by the new clock.
        let id = try #require(call.receiver(of: microphone, on: .alice))
        let received = call.pair.bob.peer.incomingStatistics(id)
        let stream = try #require(received)
        #expect(stream.jitter < .milliseconds(5))
        #expect(sound.extraDelay < .milliseconds(100))
    }

    @Test("Nothing is asked of a sender that ceases as agreed", arguments: [SimulatedSide.alice, .bob])
    func asksNoMore(side: SimulatedSide) throws {
        let call = try connected(seed: 1)
        let id = try #require(call.receiver(of: call.cameras[0].transceiver, on: .alice))
        // A key frame is wanted that never comes.
        call.cameras[0].isOn = false
        call.pair.with(.bob) { $0.requestKeyFrame(of: id, at: $1) }
        let mine = side == .alice ? call.cameras[0].transceiver : id
        try call.pair.with(side) { try $0.setDirection(.inactive, of: mine, at: $1) }
        call.run(for: .seconds(1))
        let asked = call.pair.bob.peer.incomingStatistics(id)?.stream.pliCount ?? 0
        #expect(asked > 0)
        call.run(for: .seconds(3))
        let askedLater = call.pair.bob.peer.incomingStatistics(id)?.stream.pliCount
        #expect(askedLater == asked)
    }

    @Test("Every one of many senders gets its turn in the reports")
    func manySenders() throws {
        let call = try connected(seed: 1)
        for _ in 0..<19 { try call.addCamera(on: .alice) }
        for index in call.cameras.indices { call.cameras[index].bitrate = .kilobits(30) }
        call.run(for: .seconds(20))
        let clocks = call.pair.bob.peer.transceivers.compactMap {
            call.pair.bob.peer.incomingStatistics($0.id)?.lastSenderReport
        }
        #expect(clocks.count == 21)
        #expect(clocks.allSatisfy { call.pair.now - $0 < .seconds(10) })
    }

    @Test("Codecs change from one picture to the next", arguments: Seeds.few.prefix(3))
    func codec(seed: UInt64) throws {
        let call = try connected(seed: seed)
        let camera = call.cameras[0]
        call.cameras[0].format = .h264
        call.cameras[0].needsKeyFrame = true
        call.run(for: .seconds(2))
        let formats = call.pictures(of: camera).map(\.picture.frame.format)
        #expect(formats.first == .vp8 && formats.last == .h264)
        let marks = call.pictures(of: camera).compactMap { SyntheticVideo.mark(of: $0.picture.frame)?.number }
        #expect(marks.count > 110 && zip(marks, marks.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }
}
