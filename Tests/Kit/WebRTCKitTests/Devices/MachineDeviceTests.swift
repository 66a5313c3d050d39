import RTC
import RTCDevices
import RTCFrames
import Synchronization
import Testing

@testable import WebRTCKit

@Suite("The devices that a kit makes by itself", .timeLimit(.minutes(2)))
struct MachineDeviceTests {
    /// A machine whose devices a kit makes by itself, and how often it did.
    private final class Machine: Sendable {
        let machine = FakeMachine()
        private let state = Mutex<(count: Int, error: DeviceError?)>((0, nil))

        init(error: DeviceError? = nil) {
            state.withLock { $0.error = error }
            machine.camera("front", 80, position: .front)
            machine.microphone("microphone", 440)
        }

        var timesMade: Int { state.withLock { $0.count } }

        var devices: DefaultDevices {
            DefaultDevices(media: { [self] () throws(DeviceError) in
                let error = state.withLock { state in
                    state.count += 1
                    return state.error
                }
                if let error { throw error }
                return try MediaDevices(system: machine.system)
            })
        }

        func caller(_ server: InMemoryServer, _ change: (inout WebRTCKit.Options) -> Void = { _ in }) async throws
            -> Caller
        {
            try await Caller("alice", server, devices: devices) {
                $0.sources = MediaSources()
                change(&$0)
            }
        }
    }

    @Test("They are made when something is recorded, once, and opened while a call needs them")
    func made() async throws {
        let (server, machine) = (InMemoryServer(), Machine())
        let alice = try await machine.caller(server) { $0.startsWithVideo = true }
        let bob = try await Caller("bob", server, tone: 880)
        #expect(machine.timesMade == 0)
        try await alice.controller.startRecording()
        #expect(machine.timesMade == 1)
        #expect(!machine.machine.isOpen("front") && !machine.machine.isOpen("microphone"))
        try await bob.controller.startRecording()
        try await alice.call(bob)
        #expect(await bob.diary.ear.hears(440))
        #expect(await bob.diary.wait(for: "remote video"))
        let eye = Eye()
        bob.diary.remoteVideo?.add(eye)
        #expect(await eventually { eye.frames > 3 })
        // What the other side says is heard by the loudspeaker that comes with the microphone.
        #expect(await eventually { machine.machine.heard("default") > 5 })
        try await alice.hangUp(bob)
        try await alice.controller.stopRecording()
        #expect(await eventually { !machine.machine.isOpen("front") && !machine.machine.isOpen("microphone") })
        #expect(machine.timesMade == 1)
    }

    @Test("Who begins to record in a call hears from then on")
    func inCall() async throws {
        let (server, machine) = (InMemoryServer(), Machine())
        let alice = try await machine.caller(server)
        let bob = try await Caller("bob", server, tone: 880)
        try await bob.controller.startRecording()
        try await bob.call(alice)
        #expect(await alice.diary.ear.hears(880))
        #expect(machine.timesMade == 0 && machine.machine.heard("default") == 0)
        try await alice.controller.startRecording()
        #expect(await eventually { machine.machine.heard("default") > 5 })
        #expect(await bob.diary.ear.hears(440))
        try await bob.hangUp(alice)
    }

    @Test(
        "What the app passes is used in their place: with a microphone and a camera none is made, and its speaker alone plays"
    )
    func passed() async throws {
        let (server, machine) = (InMemoryServer(), Machine())
        let alice = try await Caller("alice", server, devices: machine.devices)
        try await alice.controller.startRecording()
        try await alice.controller.startVideoRecording()
        #expect(machine.timesMade == 0)
        let other = try await Caller("carol", server, devices: machine.devices) {
            $0.sources = MediaSources(speaker: alice.diary.ear)
        }
        let bob = try await Caller("bob", server)
        try await bob.controller.startRecording()
        try await other.controller.startRecording()
        try await bob.call(other)
        #expect(await bob.diary.ear.hears(440))
        #expect(machine.timesMade == 1 && machine.machine.heard("default") == 0)
        try await bob.hangUp(other)
    }

    @Test("A stop, or another source, while the person is asked about the camera takes precedence over the camera")
    func changedWhileAsked() async throws {
        let machine = Machine()
        let alice = try await machine.caller(InMemoryServer())
        func start() async -> Task<Void, any Error> {
            machine.machine.set(.notDetermined)
            let questions = machine.machine.questions
            let starting = Task { try await alice.controller.startVideoRecording() }
            #expect(await eventually { machine.machine.questions > questions })
            return starting
        }
        var starting = await start()
        try await alice.controller.stopVideoRecording()
        machine.machine.set(.authorized)
        try await starting.value
        #expect(alice.diary.localVideo == nil && !machine.machine.isOpen("front"))
        starting = await start()
        let picture = PacedVideoSource(TestPattern(width: 320, height: 192), framesPerSecond: 20)
        try await alice.controller.startVideoRecording(source: picture)
        machine.machine.set(.authorized)
        try await starting.value
        #expect(await eventually { alice.diary.count("local video") == 1 })
        #expect(!machine.machine.isOpen("front"))
    }

    @Test("A no, a machine without a camera, and one that knows of no devices are errors that say what to do")
    func refused() async throws {
        let (server, machine) = (InMemoryServer(), Machine())
        let alice = try await machine.caller(server)
        machine.machine.set(.denied)
        await #expect(throws: CallManagerError.deviceUnavailable(DeviceError(.denied, "allow audio in the settings"))) {
            try await alice.controller.startRecording()
        }
        machine.machine.set(.authorized)
        machine.machine.pull("front")
        let error = await #expect(throws: CallManagerError.self) {
            // It may be a moment until the list knows.
            for _ in 0..<200 {
                try await alice.controller.startVideoRecording()
                try await alice.controller.stopVideoRecording()
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        #expect(error.map { "\($0)".contains("no camera") } == true)
        let none = Machine(error: DeviceError(.unavailable, "GStreamer is missing"))
        let bob = try await none.caller(InMemoryServer())
        for _ in 0..<2 {
            let error = await #expect(throws: CallManagerError.self) { try await bob.controller.startRecording() }
            #expect(error.map { "\($0)" }?.contains("GStreamer is missing. Without") == true)
        }
        // It may be there by then.
        #expect(none.timesMade == 2)
    }
}
