import RTCFrames
import Testing

@testable import WebRTCKit

@Suite("Events and calls as sequences", .timeLimit(.minutes(1)))
struct EventTests {
    private func call(_ state: Call.State) throws -> Call {
        let id = try #require(CallIdentifier(rawValue: "call-0123456789abcdef"))
        return Call(id: id, peer: Call.Peer(id: "bob"), direction: .outgoing, state: state, media: [])
    }

    private func words(_ event: WebRTCController.Event) -> String {
        switch event {
        case .call(let call, let change): "\(change) \(call.state)"
        case .server(let state): "\(state)"
        case .localAudio(_, let isPresent): "local audio \(isPresent)"
        case .remoteVideo(_, let isPresent): "remote video \(isPresent)"
        case .missed: "missed"
        default: "other"
        }
    }

    @Test("A new reader is given the present first, then what happens")
    func present() async throws {
        let events = EventBroadcaster()
        events.send(.server(.connected))
        let audio = WRKRTCAudioTrack(AudioTrack(source: PacedAudioSource(Tone(frequency: 440))), isLocal: true)
        let video = WRKRTCVideoTrack(
            VideoTrack(source: PacedVideoSource(TestPattern(width: 320, height: 192), framesPerSecond: 1)),
            isLocal: false
        )
        events.send(.localAudio(audio, isPresent: true))
        events.send(.call(try call(.connected), .connected))
        events.send(.remoteVideo(video, isPresent: true))
        let late = events.events()
        events.send(.call(try call(.ended), .ended))
        let later = events.events()
        events.finish()
        var told: [[String]] = [[], []]
        // It is read only now, and has missed nothing.
        for await event in late { told[0].append(words(event)) }
        for await event in later { told[1].append(words(event)) }
        #expect(told[0] == ["connected", "local audio true", "present connected", "remote video true", "ended ended"])
        // The other side's tracks have ended with the call.
        #expect(told[1] == ["connected", "local audio true", "present ended"])
    }

    @Test("A track that has taken another's place stays when that one ends")
    func replacedTrack() throws {
        let events = EventBroadcaster()
        func track() -> WRKRTCAudioTrack {
            WRKRTCAudioTrack(AudioTrack(source: PacedAudioSource(Tone(frequency: 440))), isLocal: true)
        }
        let (old, new) = (track(), track())
        events.send(.localAudio(old, isPresent: true))
        events.send(.localAudio(new, isPresent: true))
        events.send(.localAudio(old, isPresent: false))
        #expect(events.present.localAudio == new)
        events.send(.localAudio(new, isPresent: false))
        #expect(events.present.localAudio == nil)
    }

    @Test("A microphone that another replaces is reported as removed, after the new one")
    func replacedMicrophone() async throws {
        let alice = try await Caller("alice", InMemoryServer())
        let events = EventReader(alice.controller)
        try await alice.controller.startRecording()
        let first = try #require(await alice.controller.localAudioTrack)
        try await alice.controller.startAudioRecording(source: PacedAudioSource(Tone(frequency: 660)))
        let second = try #require(await alice.controller.localAudioTrack)
        try await alice.controller.stopRecording()
        func changes() -> [AudioChange] {
            events.all.compactMap {
                if case .localAudio(let track, let isPresent) = $0 {
                    AudioChange(track: track, isPresent: isPresent)
                } else {
                    nil
                }
            }
        }
        #expect(await eventually { changes().count == 4 })
        #expect(
            changes() == [
                .init(track: first, isPresent: true), .init(track: second, isPresent: true),
                .init(track: first, isPresent: false),
                .init(track: second, isPresent: false),
            ])
    }

    private struct AudioChange: Equatable {
        let track: WRKRTCAudioTrack
        let isPresent: Bool
    }

    @Test("Who reads calls slowly gets the newest alone")
    func latestCall() async throws {
        let events = EventBroadcaster()
        let slow = events.calls()
        for state in [Call.State.calling, .ringing, .connecting, .connected] {
            events.send(.call(try call(state), .present))
        }
        events.finish()
        var states: [Call.State] = []
        for await call in slow { states.append(call.state) }
        #expect(states == [.connected])
    }

    @Test("Who reads events too slowly is told so, and given the present")
    func missed() async throws {
        let events = EventBroadcaster()
        let slow = events.events()
        for _ in 0..<EventBroadcaster.capacity { events.send(.server(.stopping)) }
        events.send(.call(try call(.connecting), .answered))
        events.send(.call(try call(.connected), .connected))
        events.finish()
        var told: [String] = []
        for await event in slow { told.append(words(event)) }
        #expect(told == ["missed", "stopping", "answered connecting", "connected connected"])
    }

    @Test("A reader that waits is woken, by an event, by its task's cancellation, and by the end")
    func waiting() async throws {
        let events = EventBroadcaster()
        let reading = Task {
            var count = 0
            for await _ in events.events() { count += 1 }
            return count
        }
        let endless = Task { for await _ in events.calls() {} }
        try await Task.sleep(for: .milliseconds(20))
        events.send(.server(.connected))
        endless.cancel()
        await endless.value
        events.finish()
        #expect(await reading.value >= 1)
    }

    @Test("The controller's call, its events and its delegate tell the same, and end with it")
    func controller() async throws {
        let pair = try await CallPair()
        let alice = EventReader(pair.alice.controller)
        let states = Task {
            var states: [Call.State] = []
            for await call in pair.alice.controller.calls {
                states.append(call.state)
                if call.state == .ended { break }
            }
            return states
        }
        try await pair.alice.call(pair.bob)
        try await pair.alice.hangUp(pair.bob)
        let over = try await alice.wait(for: .ended)
        #expect(over.outcome == .hungUp(by: .local) && pair.alice.controller.call == over)
        #expect(await states.value.last == .ended)
        #expect(
            alice.calls.map(\.change).filter { $0 != .verification } == [
                .began, .ringing, .answered, .connected, .ended,
            ])
        #expect(pair.alice.diary.endings == [.endedHere])
    }

    @Test("When a request returns, the controller's call tells of it, and a new reader begins with it")
    func known() async throws {
        let pair = try await CallPair()
        let (alice, bob) = (pair.alice, pair.bob)
        for count in 1...3 {
            try await alice.controller.sendCallRequest(to: "bob")
            let call = try #require(alice.controller.call)
            #expect(call.state != .ended && call.outcome == nil)
            for await present in alice.controller.calls {
                #expect(present.id == call.id)
                break
            }
            #expect(await bob.diary.wait(for: "incoming alice", times: count))
            try await bob.controller.answerCallRequest(accept: true)
            #expect(bob.controller.call?.isAnswered == true)
            #expect(await alice.diary.wait(for: "started", times: count))
            #expect(await bob.diary.wait(for: "started", times: count))
            try await alice.controller.endCall()
            #expect(alice.controller.call?.id == call.id && alice.controller.call?.outcome == .hungUp(by: .local))
            #expect(alice.diary.count("ended") == count)
            #expect(await bob.diary.wait(for: "ended", times: count))
        }
    }

    @Test("Events end with the controller")
    func end() async throws {
        let server = InMemoryServer()
        var alice: Caller? = try await Caller("alice", server)
        let events = try #require(alice).controller.events
        alice = nil
        var count = 0
        for await _ in events { count += 1 }
        #expect(count >= 1)
    }
}
