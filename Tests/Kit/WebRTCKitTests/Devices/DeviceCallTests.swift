import RTC
import RTCDevices
import RTCFrames
import RTCWire
import Synchronization
import Testing

@testable import WebRTCKit

/// Notes how bright pictures are, each level once in a row, when the last change was, and how they are to be turned.
private final class LightDiary: VideoSink {
    private struct State {
        var levels: [Int] = []
        var changed = ContinuousClock.now
        var rotation = VideoRotation.none
    }

    private let state = Mutex(State())

    func deliver(_ frame: VideoFrame) {
        guard let picture = frame.buffer as? I420Buffer else { return }
        let brightness = Int(picture.withPlanes { $0.y.row($0.y.height / 2)[$0.y.width / 2] })
        state.withLock { state in
            state.rotation = frame.rotation
            if let last = state.levels.last, abs(last - brightness) < 12 { return }
            state.levels.append(brightness)
            state.changed = .now
        }
    }

    var levels: [Int] { state.withLock { $0.levels } }
    var changed: ContinuousClock.Instant { state.withLock { $0.changed } }
    var rotation: VideoRotation { state.withLock { $0.rotation } }

    func sees(_ level: Int) async -> Bool {
        let sees = await eventually { self.levels.last.map { abs($0 - level) < 12 } ?? false }
        if !sees { Issue.record("no picture of \(level), but \(levels)") }
        return sees
    }
}

/// Notes what a kit tells of its devices.
private final class DeviceEventRecorder: CallManagerDelegate {
    private let entries = Mutex<[String]>([])

    var words: [String] { entries.withLock { $0 } }

    func hears(_ word: String) async -> Bool {
        let isTold = await eventually { self.words.contains(word) }
        if !isTold { Issue.record("“\(word)” was not told, but \(words)") }
        return isTold
    }

    func mediaDeviceDidChange(_ event: DeviceFeedEvent, of media: MediaDevice.Media) {
        let word =
            switch event {
            case .using(let device): "using \(device.id)"
            case .lost(let device): "lost \(device.id)"
            case .failed(let device, let error): "failed \(device.id): \(error.message)"
            case .interrupted(let device, let reason): "interrupted \(device.id): \(reason)"
            case .resumed(let device): "resumed \(device.id)"
            case .turned(let device, _): "turned \(device.id)"
            case .none: "no \(media.rawValue)"
            }
        entries.withLock { $0.append(word) }
    }

    func didReceiveIncomingCall(from peerID: PeerID) {}
    func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) {}
    func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) {}
    func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {}
    func callDidStart() {}
    func callDidEnd(withError error: CallManagerError?) {}
    func didReceiveDataChannel(_ dataChannel: WRKDataChannel) {}
}

/// A call from a machine with devices to a peer that watches.
private struct DeviceCall {
    let machine: FakeMachine
    let devices: MediaDevices
    let server = InMemoryServer()
    let alice: Caller
    let bob: Caller
    let group = CallManagerDelegateGroup([])
    let deviceEvents = DeviceEventRecorder()
    let light = LightDiary()

    init(_ machine: FakeMachine) async throws {
        self.machine = machine
        let devices = try MediaDevices(system: machine.system)
        self.devices = devices
        alice = try await Caller("alice", server) {
            $0.sources = MediaSources()
            $0.devices = devices
            $0.startsWithVideo = true
        }
        bob = try await Caller("bob", server, tone: 880)
        group.add(alice.diary)
        group.add(deviceEvents)
        await alice.controller.setCallManagerDelegate(group)
    }

    static func running(_ machine: FakeMachine) async throws -> DeviceCall {
        let call = try await DeviceCall(machine)
        try await call.alice.controller.startRecording()
        try await call.bob.controller.startRecording()
        try await call.alice.call(call.bob)
        #expect(await call.bob.diary.wait(for: "remote video"))
        call.bob.diary.remoteVideo?.add(call.light)
        return call
    }
}

@Suite("Devices in a call", .timeLimit(.minutes(2)))
struct DeviceCallTests {
    private func tablet() -> FakeMachine {
        let machine = FakeMachine()
        machine.camera("front", 80, position: .front)
        machine.camera("back", 200, position: .back, old: true)
        machine.microphone("microphone", 440)
        return machine
    }

    @Test(
        "The camera is switched in mid-call: below 300 ms, without an offer, and with no picture older than the switch")
    func cameraSwitch() async throws {
        let call = try await DeviceCall.running(tablet())
        #expect(await call.light.sees(80))
        let offers = call.server.offers()
        var times: [Duration] = []
        for (level, id) in [(200, "back"), (80, "front"), (200, "back"), (80, "front"), (200, "back")] {
            let pressed = ContinuousClock.now
            call.devices.cameras.switchCamera()
            #expect(await call.light.sees(level))
            times.append(pressed.duration(to: call.light.changed))
            #expect(await call.deviceEvents.hears("using \(id)"))
        }
        // The back camera begins with a picture that it had kept, which is as dark as can be.
        #expect(call.light.levels.map { $0 < 140 ? 80 : 200 } == [80, 200, 80, 200, 80, 200])
        #expect(call.light.levels.allSatisfy { $0 > 60 })
        #expect(call.server.offers() == offers)
        let median = times.sorted()[times.count / 2]
        print("camera switch in a call, chosen here to seen there: median \(median), worst \(times.max() ?? .zero)")
        #expect(median < .milliseconds(300))
        try await call.alice.hangUp(call.bob)
        #expect(await eventually { !call.machine.isOpen("back") || call.bob.diary.count("ended") == 1 })
    }

    @Test("The next call begins with the front camera again, unless the back one was chosen for it")
    func beginning() async throws {
        let call = try await DeviceCall.running(tablet())
        #expect(await call.light.sees(80))
        call.devices.cameras.switchCamera()
        #expect(await call.light.sees(200))
        try await call.alice.hangUp(call.bob)
        #expect(call.devices.cameras.choice.current?.id == "front")
        try await call.alice.call(call.bob, times: 2)
        #expect(await call.bob.diary.wait(for: "remote video", times: 2))
        call.bob.diary.remoteVideo?.add(call.light)
        #expect(await call.light.sees(80))
        try await call.alice.hangUp(call.bob, times: 2)
        call.devices.cameras.choose("back")
        try await call.alice.call(call.bob, times: 3)
        #expect(await call.bob.diary.wait(for: "remote video", times: 3))
        call.bob.diary.remoteVideo?.add(call.light)
        #expect(await call.light.sees(200))
        try await call.alice.hangUp(call.bob, times: 3)
    }

    @Test("The angle goes with the pictures, which are not mirrored: the other side turns them")
    func angle() async throws {
        let call = try await DeviceCall.running(tablet())
        #expect(await call.light.sees(80))
        #expect(await eventually { call.light.rotation == .clockwise90 })
        call.machine.camera("webcam", 140)
        #expect(await call.light.sees(140))
        #expect(await eventually { call.light.rotation == .none })
        try await call.alice.hangUp(call.bob)
    }

    @Test("A camera that is pulled out gives way to the next one; without any the call is black and goes on with sound")
    func vanishingCamera() async throws {
        let call = try await DeviceCall.running(tablet())
        #expect(await call.light.sees(80))
        call.machine.camera("webcam", 140)
        #expect(await call.light.sees(140))
        call.machine.pull("webcam")
        #expect(await call.deviceEvents.hears("lost webcam"))
        #expect(await call.light.sees(80))
        call.machine.pull("front")
        #expect(await call.light.sees(200))
        call.machine.pull("back")
        #expect(await call.deviceEvents.hears("no camera"))
        #expect(await call.light.sees(16))
        call.bob.diary.ear.forget()
        #expect(await call.bob.diary.ear.hears(440))
        call.machine.camera("webcam", 140)
        #expect(await call.light.sees(140))
        #expect(call.server.offers() == 0)
        try await call.alice.hangUp(call.bob)
    }

    @Test("A camera that fails, or that somebody else takes, is told of; the call goes on")
    func failure() async throws {
        let machine = tablet()
        let call = try await DeviceCall.running(machine)
        #expect(await call.light.sees(80))
        machine.tell("front", .interrupted("a telephone call"))
        #expect(await call.deviceEvents.hears("interrupted front: a telephone call"))
        #expect(await call.deviceEvents.hears("using front"))
        machine.tell("front", .resumed)
        #expect(await call.deviceEvents.hears("resumed front"))
        machine.tell("front", .failed(DeviceError(.busy, "close the other program")))
        #expect(await call.deviceEvents.hears("failed front: close the other program"))
        #expect(await call.light.sees(200))
        machine.camera("broken", 140, failure: DeviceError(.busy, "it is in use"))
        #expect(await call.deviceEvents.hears("failed broken: it is in use"))
        try await call.alice.hangUp(call.bob)
    }

    @Test("The microphone is changed in mid-call, by choice and by plug, without an offer")
    func microphone() async throws {
        let call = try await DeviceCall.running(tablet())
        #expect(await call.bob.diary.ear.hears(440))
        call.machine.microphone("headset", 1_200)
        #expect(await call.deviceEvents.hears("using headset"))
        call.bob.diary.ear.forget()
        #expect(await call.bob.diary.ear.hears(1_200))
        call.devices.microphone.choose("microphone")
        #expect(await eventually { call.devices.microphone.device?.id == "microphone" })
        call.bob.diary.ear.forget()
        #expect(await call.bob.diary.ear.hears(440))
        call.machine.pull("microphone")
        #expect(await eventually { call.devices.microphone.device?.id == "headset" })
        call.bob.diary.ear.forget()
        #expect(await call.bob.diary.ear.hears(1_200))
        #expect(call.server.offers() == 0)
        try await call.alice.hangUp(call.bob)
    }

    @Test("The loudspeaker is the system's own until one is chosen; when that is pulled out, the system's own again")
    func speaker() async throws {
        let machine = tablet()
        machine.speaker("headphones")
        let call = try await DeviceCall.running(machine)
        let speaker = try #require(call.devices.speaker)
        #expect(await eventually { machine.heard("default") > 5 })
        #expect(machine.heard("headphones") == 0)
        speaker.choose("headphones")
        #expect(await eventually { machine.heard("headphones") > 5 })
        let before = machine.heard("default")
        #expect(speaker.device?.id == "headphones")
        #expect(machine.heard("default") == before)
        machine.pull("headphones")
        #expect(await eventually { machine.heard("default") > before + 5 })
        machine.speaker("headphones")
        let heard = machine.heard("headphones")
        #expect(await eventually { machine.heard("headphones") > heard + 5 })
        try await call.alice.hangUp(call.bob)
        await speaker.settled()
        #expect(speaker.device == nil)
    }

    @Test("What may not be used is refused with what to do about it; so is what is not there")
    func refusal() async throws {
        let machine = tablet()
        machine.set(.denied)
        let call = try await DeviceCall(machine)
        await #expect(throws: CallManagerError.deviceUnavailable(DeviceError(.denied, "allow audio in the settings"))) {
            try await call.alice.controller.startRecording()
        }
        await #expect(throws: CallManagerError.deviceUnavailable(DeviceError(.denied, "allow video in the settings"))) {
            try await call.alice.controller.startVideoRecording()
        }
        machine.set(.authorized)
        machine.pull("front")
        machine.pull("back")
        #expect(await eventually { call.devices.list.cameras.isEmpty })
        await #expect(throws: CallManagerError.self) { try await call.alice.controller.startVideoRecording() }
        try await call.alice.controller.startAudioRecording(source: PacedAudioSource(Tone()))
    }
}
