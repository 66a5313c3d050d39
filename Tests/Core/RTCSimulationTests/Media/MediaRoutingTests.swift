import RTCMedia
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@testable import RTCPeer

@Suite("Packets and where they belong")
struct MediaRoutingTests {
    /// Lets alice send from a source that no description names.
    ///
    /// - Parameter change: What its packets say that alice's real camera would not.
    private func addStranger(
        _ source: UInt32, to call: MediaCall, _ change: (inout MediaSectionParameters) -> Void
    ) throws -> TransceiverID {
        let id = TransceiverID(rawValue: 1_000 &+ source)
        let known = try #require(
            call.pair.alice.peer.transceiver(call.cameras[0].transceiver)?.parameters)
        var parameters = known
        change(&parameters)
        call.pair.with(.alice) { peer, _ in
            let stranger = OutgoingMedia(
                transceiver: id, kind: .video, ssrc: SynchronizationSource(source), retransmissionSSRC: nil)
            stranger.apply(parameters, packetSize: 1_100, random: SeededRandom(seed: UInt64(source)))
            peer.media.outgoing.append(stranger)
        }
        call.cameras.append(MediaCall.Camera(side: .alice, transceiver: id, next: call.pair.now))
        return id
    }

    private func connected() throws -> MediaCall {
        let call = try MediaCall(seed: 1)
        try #require(call.run(for: .seconds(5)) { $0.areConnected })
        call.run(for: .seconds(1))
        return call
    }

    @Test("An unknown source with an unknown MID is dropped and counted")
    func unknownMID() throws {
        let call = try connected()
        _ = try addStranger(7, to: call) { $0.mid = "nobody" }
        call.run(for: .seconds(1))
        #expect(call.pair.bob.peer.mediaCounters.unmappedPackets > 100)
        #expect(call.expectDecodable(call.cameras[0]) > 0.95)
    }

    @Test("Who goes on sending the numbers of the exchange before is still received")
    func formerNumbers() throws {
        let call = try connected()
        let camera = call.cameras[0]
        call.pair.with(.bob) { peer, now in
            for var parameters in peer.transceivers.compactMap(\.parameters) where parameters.kind == .video {
                for place in parameters.receiveCodecs.indices {
                    parameters.receiveCodecs[place].payloadType = RTPPayloadType(UInt8(35 + 2 * place))
                    parameters.receiveCodecs[place].retransmissionPayloadType = RTPPayloadType(UInt8(36 + 2 * place))
                }
                // Each extension gets the number of the next: what says the MID now says something else.
                let numbers = parameters.receiveExtensions.map(\.id)
                for place in numbers.indices {
                    parameters.receiveExtensions[place].id = numbers[(place + 1) % numbers.count]
                }
                peer.media.apply(parameters, at: now)
            }
        }
        let before = call.pictures(of: camera).count
        call.run(for: .seconds(1))
        #expect(call.pictures(of: camera).count - before > 20)
        #expect(call.pair.bob.peer.mediaCounters.unmappedPackets == 0)
        #expect(call.expectDecodable(camera) > 0.95)
    }

    @Test("An unknown payload type is dropped and counted")
    func unknownPayloadType() throws {
        let call = try connected()
        _ = try addStranger(7, to: call) { parameters in
            parameters.mid = nil
            for index in parameters.sendCodecs.indices {
                parameters.sendCodecs[index].payloadType = RTPPayloadType(127)
            }
        }
        call.run(for: .seconds(1))
        #expect(call.pair.bob.peer.mediaCounters.unmappedPackets > 100)
        #expect(call.expectDecodable(call.cameras[0]) > 0.95)
    }

    @Test("A source that no description named is received by its MID, and by its payload type alone")
    func unannounced() throws {
        for keepsMID in [true, false] {
            let call = try connected()
            // The announced source is silent; so the other may take its place.
            call.cameras[0].isOn = false
            call.run(for: .seconds(1))
            _ = try addStranger(7, to: call) { if !keepsMID { $0.mid = nil } }
            let count = call.pair.bob.pictures.count
            call.run(for: .seconds(2))
            #expect(call.pair.bob.pictures.count - count > 50, "\(keepsMID)")
            #expect(call.pair.bob.peer.mediaCounters.unmappedPackets == 0)
            // And the announced one is back as soon as it sends.
            call.cameras[2].isOn = false
            call.cameras[0].isOn = true
            call.cameras[0].needsKeyFrame = true
            call.run(for: .seconds(1))
            let last = try #require(call.pictures(of: call.cameras[0]).last)
            #expect(call.pair.now - last.time < .milliseconds(200))
        }
    }

    @Test("A second source does not push in while the first one sends")
    func pushing() throws {
        let call = try connected()
        _ = try addStranger(7, to: call) { _ in }
        call.run(for: .seconds(2))
        #expect(call.expectDecodable(call.cameras[0]) == 1)
        #expect(call.pair.bob.peer.mediaCounters.unmappedPackets > 100)
    }

    @Test("Endless new sources leave no memory behind")
    func manySources() throws {
        let call = try connected()
        for source in 1...400 {
            _ = try addStranger(UInt32(source), to: call) { _ in }
            call.run(for: .milliseconds(40))
            call.cameras.removeLast()
        }
        #expect(call.pair.bob.peer.media.routes.count <= MediaTransport.maximumRoutes)
        #expect(call.expectDecodable(call.cameras[0]) > 0.95)
    }
}
