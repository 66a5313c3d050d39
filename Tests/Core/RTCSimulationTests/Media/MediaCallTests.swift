import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("A call of sound and picture")
struct MediaCallTests {
    @Test("brings every picture and every sound, in order, both ways", arguments: [PayloadFormat.vp8, .vp9, .h264])
    func everything(format: PayloadFormat) throws {
        for seed in Seeds.few.prefix(3) {
            let call = try MediaCall(seed: seed, format: format)
            #expect(call.run(for: .seconds(5)) { $0.areConnected })
            let sounds = [try call.recordAudio(to: .alice), try call.recordAudio(to: .bob)]
            call.run(for: .seconds(20))
            #expect(!call.pair.isStuck)
            for camera in call.cameras {
                #expect(camera.sent.count > 590 && camera.leftOut == 0)
                #expect(call.expectDecodable(camera) == 1, "\(camera.side), seed \(seed)")
                #expect(camera.sent.count { $0.mark.reference == nil } == 1)
                // The picture waits for the sound, which is heard after 20 ms of network and 60 ms of buffer.
                let delays = call.delays(of: camera, since: call.pair.now - .seconds(4)).sorted()
                #expect(delays[delays.count / 2] > .milliseconds(55) && delays[delays.count / 2] < .milliseconds(90))
                #expect(call.delays(of: camera).allSatisfy { $0 < .milliseconds(120) })
            }
            for (microphone, sound) in zip(call.microphones, sounds.reversed()) {
                let numbers = sound.packets.map(\.info.sequenceNumber)
                #expect(numbers.count > 990)
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
                let isWhole = sound.packets.allSatisfy { packet in
                    packet.payload.count == 80 && Set(packet.payload.dropFirst()).count == 1
                }
                #expect(isWhole)
                #expect(microphone.sent - numbers.count <= 3)
            }
            for endpoint in [call.pair.alice, call.pair.bob] {
                #expect(endpoint.peer.mediaCounters == MediaCounters())
                #expect(endpoint.refusedSignals.isEmpty)
            }
        }
    }

    @Test("holds no picture back where there is no sound to wait for", arguments: Seeds.few.prefix(3))
    func promptness(seed: UInt64) throws {
        let call = try MediaCall(seed: seed)
        #expect(call.run(for: .seconds(5)) { $0.areConnected })
        call.run(for: .seconds(20))
        for camera in call.cameras {
            // 20 ms of network and a frame's pacing.
            let delays = call.delays(of: camera, since: call.pair.now - .seconds(4)).sorted()
            #expect(delays[delays.count / 2] < .milliseconds(35))
        }
    }
}
