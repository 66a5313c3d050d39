import Foundation
import Observation
import RTC
import Synchronization
import Testing

@testable import WebRTCKit

@MainActor
@Suite("The system's list of calls")
struct SystemCallsTests {
    let stage = SystemCallsStage()
    var controller: FakeController { stage.controller }
    var provider: FakeCallProvider { stage.provider }
    var calls: SystemCalls { stage.calls }

    // MARK: Outgoing calls

    @Test("A call that the app starts goes through the system to the controller, and is told to be connected")
    func outgoing() async throws {
        try await calls.startCall(to: "bob", displayName: "Bob", hasVideo: true)
        await settle()
        #expect(controller.commands == ["call bob"])
        #expect(provider.call?.caller == .init(peer: "bob", displayName: "Bob", hasVideo: true))
        #expect(provider.fulfilled.count == 1 && provider.call?.isConnected == false)
        #expect(stage.session.use == .videoCall)
        controller.run()
        await settle()
        #expect(provider.call?.isConnected == true)
        #expect(stage.isClean)
    }

    @Test("The system is shown the peer's identifier beside a name that the app does not vouch for")
    func unprovenNames() {
        func shown(_ name: String?, _ isProven: Bool) -> String? {
            SystemCalls.Caller(peer: "mallory", displayName: name, nameIsProven: isProven).displayLabel
        }
        #expect(shown("Alice", false) == "Alice (mallory)")
        #expect(shown("Mallory M.", true) == "Mallory M.")
        #expect(shown("Alice   (alice)", false) == "Alice alice (mallory)")
        let long = "Alice" + String(repeating: " ", count: 59) + "."
        #expect(shown(long, false) == "Alice . (mallory)")
        #expect(shown(String(repeating: "A", count: 64), false)?.hasSuffix("… (mallory)") == true)
        #expect(shown("()", false) == nil)
        #expect(shown(nil, false) == nil && shown("", false) == nil && shown("mallory", false) == nil)
        #expect(!SystemCalls.Caller(peer: "mallory", displayName: "Alice").nameIsProven)
    }

    @Test("A call that the controller cannot make fails, and is not listed")
    func cannotCall() async throws {
        controller.failsToCall = true
        var errors = 0
        calls.onError = { _ in errors += 1 }
        try await calls.startCall(to: "bob")
        await settle()
        #expect(provider.failed.count == 1 && provider.calls.isEmpty && errors == 1)
        #expect(!calls.hasCall && stage.isClean)
    }

    @Test("The app is told when the system does not allow a call")
    func systemRefuses() async throws {
        provider.refusesRequests = true
        await #expect(throws: FakeCallProvider.Refused.self) { try await calls.startCall(to: "bob") }
        await settle()
        #expect(controller.commands.isEmpty && !calls.hasCall)
    }

    @Test("A second call while there is one is failed, and the first goes on")
    func second() async throws {
        try await stage.outgoing()
        provider.ask(UUID(), .start(.init(peer: "carol")))
        #expect(provider.failed.count == 1)
        #expect(controller.commands == ["call bob"])
        #expect(controller.stage == .running && stage.isClean)
    }

    @Test(
        "Each end of a call that is not ours is reported with its reason",
        arguments: [
            (nil, SystemCalls.EndReason.remoteEnded), (.rejected, .remoteEnded), (.busy, .remoteEnded),
            (.noAnswer, .unanswered), (.connectionTimeout, .failed), (.connectionLost, .failed),
            (.peerUnavailable, .failed), (.signalingFailed("x"), .failed), (.webRTCFailed("x"), .failed),
        ] as [(CallManagerError?, SystemCalls.EndReason)])
    func reasons(error: CallManagerError?, reason: SystemCalls.EndReason) async throws {
        try await calls.startCall(to: "bob")
        await settle()
        let call = try #require(provider.callID)
        controller.finish(error)
        await settle()
        #expect(provider.ended[call] == reason)
        #expect(provider.calls.isEmpty && stage.isClean)
    }

    // MARK: Incoming calls

    @Test("An incoming call rings in the system, and is answered there")
    func incoming() async throws {
        try controller.invite(from: "bob", media: [.audio, .video])
        await settle()
        let call = try #require(provider.callID)
        #expect(provider.call?.caller == .init(peer: "bob", hasVideo: true))
        provider.ask(call, .answer)
        await settle()
        #expect(controller.commands == ["answer"])
        #expect(provider.fulfilled.map(\.kind) == [.answer])
        #expect(stage.session.isActive && stage.audio.isActive)
        controller.run()
        await settle()
        #expect(stage.isClean)
    }

    @Test(
        "A call can be answered by a button of the app's, whether or not the system agrees", arguments: [false, true])
    func answeredInApp(isRefused: Bool) async throws {
        try controller.invite(from: "bob")
        await settle()
        provider.refusesRequests = isRefused
        calls.answerCall()
        await settle()
        #expect(controller.commands == ["answer"])
        #expect(provider.fulfilled.map(\.kind) == (isRefused ? [] : [.answer]) && stage.isClean)
    }

    @Test("The app names who calls")
    func names() async throws {
        calls.describe = { .init(peer: $0, displayName: "Robert") }
        try controller.invite(from: "bob")
        await settle()
        #expect(provider.call?.caller.displayName == "Robert")
    }

    @Test("A call that is declined in the system is rejected, not ended")
    func declined() async throws {
        try controller.invite(from: "bob")
        await settle()
        provider.ask(try #require(provider.callID), .end)
        await settle()
        #expect(controller.commands == ["reject"])
        #expect(controller.stage == .idle && provider.calls.isEmpty && provider.ended.isEmpty)
        #expect(stage.isClean)
    }

    @Test("A caller who gives up takes the call from the list")
    func cancelled() async throws {
        try controller.invite(from: "bob")
        await settle()
        let call = try #require(provider.callID)
        controller.finish()
        await settle()
        #expect(provider.ended[call] == .remoteEnded && provider.calls.isEmpty && stage.isClean)
    }

    @Test(
        "An incoming call that ends while it rings is missed only if no device of this person's took or declined it",
        arguments: [
            (CallEnding.answeredElsewhere, SystemCalls.EndReason.answeredElsewhere),
            (.declinedElsewhere, .declinedElsewhere), (.endedHere, .declinedElsewhere), (.unanswered, .unanswered),
            (.endedByOtherSide, .remoteEnded), (.failed, .failed),
        ])
    func rangAndEnded(ending: CallEnding, reason: SystemCalls.EndReason) async throws {
        try controller.invite(from: "bob")
        await settle()
        let call = try #require(provider.callID)
        controller.finish(ending == .failed ? .connectionLost : nil, as: ending)
        await settle()
        #expect(provider.ended[call] == reason && provider.calls.isEmpty && stage.isClean)
        // The next call's end is its own.
        try controller.invite(from: "bob")
        await settle()
        let next = try #require(provider.callID)
        controller.finish()
        await settle()
        #expect(provider.ended[next] == .remoteEnded && stage.isClean)
    }

    @Test("A call that ran and was ended by the app alone was neither declined nor missed")
    func endedByApp() async throws {
        try await stage.outgoing()
        let call = try #require(provider.callID)
        controller.finish(as: .endedHere)
        await settle()
        #expect(provider.ended[call] == .remoteEnded && stage.isClean)
    }

    @Test("An answer that the controller cannot give fails, and the call is over on both sides")
    func cannotAnswer() async throws {
        controller.failsToAnswer = true
        try controller.invite(from: "bob")
        await settle()
        let call = try #require(provider.callID)
        provider.ask(call, .answer)
        await settle()
        #expect(provider.failed.map(\.kind) == [.answer])
        #expect(provider.ended[call] == .failed)
        #expect(controller.stage == .idle && stage.isClean)
    }

    @Test("A call that the system does not show, because the person wants quiet, is rejected")
    func filtered() async throws {
        provider.refusal = .filtered
        try controller.invite(from: "bob")
        await settle()
        #expect(controller.commands == ["reject"])
        #expect(controller.stage == .idle && !calls.hasCall && stage.isClean)
    }

    @Test("A call that the kit answers by itself is answered in the system, too")
    func automatic() async throws {
        try controller.invite(from: "bob")
        controller.run()
        await settle()
        #expect(provider.fulfilled.map(\.kind) == [.answer])
        #expect(controller.commands.isEmpty && provider.call?.isConnected == true && stage.isClean)
    }

    @Test("The name that the server forwards is shown, unless the app names the caller")
    func forwardedName() async throws {
        try controller.invite(from: "bob", name: "Robert")
        await settle()
        #expect(provider.call?.caller == .init(peer: "bob", displayName: "Robert"))
    }

    @Test("An answer that comes after the kit has answered by itself is the same answer")
    func answeredTwice() async throws {
        controller.isSlow = true
        try controller.invite(from: "bob")
        await settle()
        provider.ask(try #require(provider.callID), .answer)
        await settle()
        controller.answerItself()
        controller.hurry()
        await settle()
        #expect(provider.fulfilled.map(\.kind) == [.answer] && controller.stage == .answered && stage.isClean)
    }

    // MARK: The end

    @Test("A call that the person ends in the system is ended in the kit, once")
    func ended() async throws {
        try await stage.outgoing()
        provider.ask(try #require(provider.callID), .end)
        await settle()
        #expect(controller.commands == ["call bob", "end"])
        #expect(provider.ended.isEmpty && provider.calls.isEmpty && stage.isClean)
    }

    @Test("The app's hang-up goes through the system")
    func hangUp() async throws {
        try await stage.incoming()
        try await calls.endCall()
        await settle()
        #expect(provider.fulfilled.map(\.kind) == [.answer, .end])
        #expect(controller.stage == .idle && provider.calls.isEmpty && stage.isClean)
    }

    @Test("The app's hang-up ends the call even if the system does not agree")
    func hangUpRefused() async throws {
        try await stage.incoming()
        provider.refusesRequests = true
        try await calls.endCall()
        await settle()
        #expect(controller.stage == .idle && provider.calls.isEmpty && stage.isClean)
    }

    @Test("A call of which the system knows nothing is hung up at the controller")
    func hangUpUnknown() async throws {
        try await controller.sendCallRequest(to: "bob")
        try await calls.endCall()
        #expect(controller.commands == ["call bob", "end"])
    }

    @Test("A hang-up that overtakes its own call leaves nothing behind, and the next call works")
    func overtaken() async throws {
        controller.isSlow = true
        try await calls.startCall(to: "bob")
        await settle()
        provider.ask(try #require(provider.callID), .end)
        await settle()
        // The call had not begun: there was nothing to end.
        #expect(controller.commands == ["call bob", "end"])
        #expect(provider.calls.isEmpty)
        try await calls.startCall(to: "carol")
        await settle()
        #expect(controller.commands.count == 2)
        controller.hurry()
        await settle()
        #expect(controller.commands == ["call bob", "end", "end", "call carol"])
        #expect(controller.stage == .calling("carol"))
        #expect(provider.failed.count == 1 && stage.isClean)
    }

    @Test(
        "A call that waits for the end of the one before can be hung up, whether or not the system agrees",
        arguments: [false, true])
    func waitingHungUp(isRefused: Bool) async throws {
        controller.isSlow = true
        try await calls.startCall(to: "bob")
        await settle()
        provider.ask(try #require(provider.callID), .end)
        await settle()
        try await calls.startCall(to: "carol")
        await settle()
        #expect(calls.hasCall && controller.commands == ["call bob", "end"])
        provider.refusesRequests = isRefused
        try await calls.endCall()
        await settle()
        #expect(!calls.hasCall && provider.calls.isEmpty && provider.failed.count == 2)
        controller.hurry()
        await settle()
        // Bob's call has begun after all, and ends; Carol's never begins.
        #expect(controller.commands == ["call bob", "end", "end"])
        #expect(controller.stage == .idle && stage.isClean)
    }

    @Test("A call that the app makes without the system is not shown, not even if both peers have called each other")
    func glareWithoutSystem() async throws {
        try await controller.sendCallRequest(to: "bob")
        try controller.meet()
        await settle()
        controller.run()
        await settle()
        #expect(provider.reportCount == 0 && provider.calls.isEmpty && !calls.hasCall && stage.isClean)
    }

    @Test("The change of a call's identifier may be missed: the next value says it too", arguments: [true, false])
    func missedGlare(isSlow: Bool) throws {
        var rules = SystemCallRules()
        let (id, caller) = (UUID(), SystemCalls.Caller(peer: "bob"))
        func action(_ kind: SystemCalls.Action.Kind) -> SystemCalls.Action {
            SystemCalls.Action(id: UUID(), call: id, kind: kind)
        }
        let former = try #require(CallIdentifier(rawValue: id.uuidString))
        let other = try #require(CallIdentifier(rawValue: "the-call-of-the-other-peer"))
        _ = rules.handle(.action(action(.start(caller))), at: .zero)
        _ = rules.handle(.done(.call(former, "bob"), succeeded: true), at: .zero)
        var call = Call(id: other, peer: Call.Peer(id: "bob"), direction: .incoming, state: .connected, media: [])
        call.formerID = former
        if !isSlow {
            let effects = rules.handle(.call(call, from: caller, newCall: UUID()), at: .zero)
            #expect(effects == [.reportConnected(id)])
        }
        // If it is slow, the end is asked for before the other identifier is known.
        let end = action(.end)
        let effects = rules.handle(.action(end), at: .zero)
        #expect(effects == [.command(.end(isSlow ? former : other)), .fulfill(end.id), .release])
        call.state = .ended
        call.outcome = .hungUp(by: .local)
        _ = rules.handle(.call(call, from: caller, newCall: UUID()), at: .zero)
        #expect(!rules.hasCall && rules.closing.isEmpty)
    }

    @Test("Both peers have called each other: the system goes on with its call, and ends it", arguments: [true, false])
    func glare(isSlow: Bool) async throws {
        try await calls.startCall(to: "bob")
        await settle()
        let call = try #require(provider.callID)
        try controller.meet()
        if !isSlow {
            controller.run()
            await settle()
            #expect(provider.callID == call && provider.reportCount == 0 && provider.call?.isConnected == true)
        }
        // If it is slow, the end is asked for before the other identifier is known.
        provider.ask(call, .end)
        await settle()
        #expect(controller.stage == .idle && provider.calls.isEmpty && provider.ended.isEmpty && stage.isClean)
        try await calls.startCall(to: "carol")
        await settle()
        #expect(controller.stage == .calling("carol"))
    }

    @Test("A hang-up reaches the call that it is meant for, and not one that has taken its place")
    func hangUpTooLate() async throws {
        try await stage.outgoing()
        let call = try #require(provider.callID)
        controller.finish()
        try controller.invite(from: "carol")
        // The system has not heard of either.
        provider.ask(call, .end)
        await settle()
        #expect(controller.stage == .ringing("carol") && provider.call?.caller.peer == "carol" && stage.isClean)
    }

    @Test("After a reset all calls are over, and no action is touched any more")
    func reset() async throws {
        controller.isSlow = true
        try await calls.startCall(to: "bob")
        await settle()
        provider.reset()
        controller.hurry()
        await settle()
        #expect(controller.stage == .idle && !calls.hasCall)
        #expect(provider.fulfilled.isEmpty && provider.failed.isEmpty && stage.isClean)
    }

    @Test("A start that has timed out is neither fulfilled nor failed, and the call is over")
    func timedOut() async throws {
        controller.isSlow = true
        try await calls.startCall(to: "bob")
        await settle()
        provider.timeOut(try #require(provider.actions.keys.first))
        controller.hurry()
        await settle()
        #expect(controller.stage == .idle && provider.calls.isEmpty)
        #expect(provider.fulfilled.isEmpty && provider.failed.isEmpty && stage.isClean)
    }

    @Test("Actions for calls that are not there are failed; but such a call has ended, if that is what is wanted")
    func unknown() async throws {
        for kind in [SystemCalls.Action.Kind.answer, .end, .mute(true), .hold(true)] { provider.ask(UUID(), kind) }
        #expect(provider.failed.map(\.kind) == [.answer, .mute(true), .hold(true)])
        #expect(provider.fulfilled.map(\.kind) == [.end])
        #expect(controller.commands.isEmpty && stage.isClean)
    }

    // MARK: Mute and hold

    @Test("Mute in the system mutes the track, and the next call begins unmuted")
    func mute() async throws {
        let track = AudioTrack()
        controller.send(.localAudio(WRKRTCAudioTrack(track, isLocal: true), isPresent: true))
        try await stage.outgoing()
        provider.ask(try #require(provider.callID), .mute(true))
        #expect(!track.isEnabled && calls.isMuted)
        controller.finish()
        await settle()
        #expect(track.isEnabled && !calls.isMuted && stage.isClean)
    }

    @Test("A track that the app mutes itself is muted in the system")
    func mutedTrack() async throws {
        let track = WRKRTCAudioTrack(AudioTrack(), isLocal: true)
        controller.send(.localAudio(track, isPresent: true))
        try await stage.outgoing()
        track.isEnabled = false
        await settle()
        #expect(provider.call?.isMuted == true && calls.isMuted)
        track.isEnabled = true
        await settle()
        #expect(provider.call?.isMuted == false && !calls.isMuted && stage.isClean)
    }

    @Test("A track that is added disabled is muted in the system, and unmuted there", arguments: [true, false])
    func disabledTrack(isInCall: Bool) async throws {
        let track = WRKRTCAudioTrack(AudioTrack(), isLocal: true)
        track.isEnabled = false
        if isInCall { try await stage.outgoing() }
        controller.send(.localAudio(track, isPresent: true))
        await settle()
        if !isInCall { try await stage.outgoing() }
        #expect(provider.call?.isMuted == true && calls.isMuted && !track.isEnabled)
        calls.setMuted(false)
        await settle()
        #expect(provider.call?.isMuted == false && !calls.isMuted && track.isEnabled && stage.isClean)
    }

    @Test("A track that the app mutes while the call is being held is muted in the system")
    func mutedWhileHeld() async throws {
        let track = WRKRTCAudioTrack(AudioTrack(), isLocal: true)
        controller.send(.localAudio(track, isPresent: true))
        try await stage.outgoing()
        let call = try #require(provider.callID)
        track.isEnabled = false
        provider.ask(call, .hold(true))
        await settle()
        #expect(provider.call?.isMuted == true && provider.call?.isHeld == true && calls.isMuted)
        provider.ask(call, .hold(false))
        await settle()
        #expect(!track.isEnabled)
        calls.setMuted(false)
        await settle()
        #expect(track.isEnabled && provider.call?.isMuted == false && stage.isClean)
    }

    @Test("Who mutes while nothing is recorded, and holds the call, is muted when it is recorded again")
    func mutedWithoutTrack() async throws {
        let (first, second) = (AudioTrack(), AudioTrack())
        controller.send(.localAudio(WRKRTCAudioTrack(first, isLocal: true), isPresent: true))
        try await stage.outgoing()
        first.stop()
        calls.setMuted(true)
        await settle()
        for isHeld in [true, false] {
            calls.setHeld(isHeld)
            await settle()
        }
        controller.send(.localAudio(WRKRTCAudioTrack(second, isLocal: true), isPresent: true))
        await settle()
        #expect(provider.call?.isMuted == true && calls.isMuted && !second.isEnabled && stage.isClean)
    }

    @Test("Mute before a call is told to the system when the call runs")
    func mutedBefore() async throws {
        let track = AudioTrack()
        controller.send(.localAudio(WRKRTCAudioTrack(track, isLocal: true), isPresent: true))
        await settle()
        calls.setMuted(true)
        #expect(!track.isEnabled)
        try await stage.outgoing()
        #expect(provider.call?.isMuted == true && !track.isEnabled && stage.isClean)
    }

    @Test("A view follows whether there is a call, and whether it is muted or held")
    func observed() async throws {
        func changes(_ read: () -> Bool, when body: () async throws -> Void) async throws -> Bool {
            let isTold = Mutex(false)
            withObservationTracking {
                _ = read()
            } onChange: {
                isTold.withLock { $0 = true }
            }
            try await body()
            await settle()
            return isTold.withLock { $0 }
        }
        #expect(try await changes({ calls.hasCall }) { try await stage.outgoing() } && calls.hasCall)
        #expect(try await changes({ calls.isMuted }) { calls.setMuted(true) } && calls.isMuted)
        #expect(try await changes({ calls.isHeld }) { calls.setHeld(true) } && calls.isHeld)
    }

    @Test("On hold nothing is sent or heard; after it everything is as it was, a mute included")
    func hold() async throws {
        let (microphone, camera, remote) = (AudioTrack(), VideoTrack(), AudioTrack())
        controller.send(.localAudio(WRKRTCAudioTrack(microphone, isLocal: true), isPresent: true))
        controller.send(.localVideo(WRKRTCVideoTrack(camera, isLocal: true), isPresent: true))
        controller.send(.remoteAudio(WRKRTCAudioTrack(remote, isLocal: false), isPresent: true))
        try await stage.incoming()
        calls.setHeld(true)
        await settle()
        #expect(calls.isHeld && provider.call?.isHeld == true)
        #expect(!microphone.isEnabled && !camera.isEnabled && !remote.isEnabled)
        calls.setMuted(true)
        calls.setHeld(false)
        await settle()
        #expect(!microphone.isEnabled && camera.isEnabled && remote.isEnabled)
        #expect(provider.call?.isMuted == true && stage.isClean)
    }

    @Test("An app that switches a held track on gets it when the hold is over")
    func heldTrack() async throws {
        let track = WRKRTCAudioTrack(AudioTrack(), isLocal: true)
        controller.send(.localAudio(track, isPresent: true))
        try await stage.incoming()
        calls.setMuted(true)
        calls.setHeld(true)
        await settle()
        track.isEnabled = true
        await settle()
        #expect(!track.isEnabled)
        calls.setHeld(false)
        await settle()
        #expect(track.isEnabled && provider.call?.isMuted == false && stage.isClean)
    }

    // MARK: Sound

    @Test("Only the system activates the audio session, and the app is told when sound may begin")
    func audio() async throws {
        var notices: [AudioSessionController.Notice] = []
        stage.audio.onNotice = { notices.append($0) }
        try await stage.outgoing()
        #expect(stage.session.use == .voiceCall && stage.session.isActive && stage.session.activations == 0)
        controller.finish()
        await settle()
        #expect(notices == [.activated, .deactivated])
        // The machine's own sound waits for the system from the beginning.
        #expect(controller.soundSwitches == [false, true, false])
        #expect(!stage.session.isActive && stage.isClean)
    }

    @Test("A video call that has waited for the end of the one before has the audio session of a video call")
    func sessionOfNextCall() async throws {
        try await stage.outgoing()
        provider.ask(try #require(provider.callID), .end)
        // The controller has not reported the end yet.
        try await calls.startCall(to: "carol", hasVideo: true)
        await settle()
        controller.run()
        await settle()
        #expect(controller.commands == ["call bob", "end", "call carol"])
        #expect(stage.session.use == .videoCall && stage.isClean)
    }

    @Test("Nobody keeps it: it goes with the app's last reference")
    func freed() async throws {
        let controller = FakeController()
        let provider = FakeCallProvider()
        weak var gone: SystemCalls?
        do {
            let calls = SystemCalls(controller: controller, provider: provider)
            gone = calls
            calls.setMuted(true)
            await settle()
        }
        await settle()
        #expect(gone == nil)
    }
}
