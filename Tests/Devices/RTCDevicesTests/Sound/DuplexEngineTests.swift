import RTCFrames
import RTCWire
import Synchronization
import Testing

@testable import RTCDevices

/// Counts what it hears at each rate.
private final class Ear: AudioSink {
    private let frames = Mutex<[AudioFrame]>([])
    func deliver(_ frame: AudioFrame) { frames.withLock { $0.append(frame) } }
    var count: Int { frames.withLock { $0.count } }
    var areRight: Bool { frames.withLock { $0.allSatisfy { $0.sampleRate == 48_000 && $0.samplesPerChannel == 480 } } }
}

private final class Diary: Sendable {
    private let lines = Mutex<[CaptureEvent]>([])
    func note(_ event: CaptureEvent) { lines.withLock { $0.append(event) } }
    var events: [CaptureEvent] { lines.withLock { $0 } }
}

@Suite("The audio engine of a process", .timeLimit(.minutes(2)))
struct DuplexEngineTests {
    private let system = FakeAudioSystem()
    private let engine: DuplexEngine
    private let builtIn = MediaDevice(id: "builtin", instance: 1, media: .microphone, name: "iPhone Microphone")

    init() { engine = DuplexEngine(system) }

    private func microphone(_ name: String?, _ diary: Diary = Diary()) -> EngineMicrophone {
        EngineMicrophone(device: builtIn, named: name, processing: .call, engine: engine) { diary.note($0) }
    }

    /// What is recorded comes by a queue.
    private func eventually(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<500 {
            if condition() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return condition()
    }

    @Test("The microphone of a list and the call's loudspeaker are one engine, with the echo cancelled")
    func one() async {
        let (ear, microphone) = (Ear(), microphone("builtin"))
        let opened = await microphone.open()
        #expect(throws: Never.self) { try opened.get() }
        #expect(!system.isRunning && !system.isSessionActive)
        microphone.start(delivering: ear)
        let player = engine.play { samples in
            samples.update(repeating: 16_384)
            return true
        }
        await engine.settled()
        #expect(system.isRecording && system.isPlaying && system.cancelsEcho && system.timesBuilt == 1)
        #expect(system.run(milliseconds: 100) == 0.5)
        #expect(await eventually { ear.count >= 9 })
        await microphone.close()
        engine.detach(player)
        await engine.settled()
        #expect(!system.isRunning && !system.isSessionActive && system.exceptions.isEmpty)
    }

    @Test("Two who play are heard together, and neither is louder than there is room")
    func mixed() async {
        let players = [16_384, 30_000].map { value in
            engine.play { samples in
                samples.update(repeating: Int16(value))
                return true
            }
        }
        await engine.settled()
        #expect(system.run(milliseconds: 10) == 1)
        engine.detach(players[1])
        #expect(system.run(milliseconds: 10) == 0.5)
    }

    @Test("AirPods come and go in a call: sound goes on in the same form, and whoever follows the route is told")
    func airPods() async {
        let ear = Ear()
        let latencies = Mutex<[Double]>([])
        let follower = engine.follow { notice in
            if case .route(let route) = notice { latencies.withLock { $0.append(route.inputLatency) } }
        }
        let microphone = microphone(nil)
        microphone.start(delivering: ear)
        await engine.settled()
        for rate in [16_000.0, 24_000] {
            system.plug(FakeAudioSystem.Port(id: "airpods", rate: rate, outputRate: rate))
            await engine.settled()
            let count = ear.count
            system.run(milliseconds: 200)
            #expect(await eventually { ear.count >= count + 15 })
            system.pull("airpods")
            await engine.settled()
        }
        #expect(system.isRecording && ear.areRight && system.exceptions.isEmpty)
        #expect(latencies.withLock { $0 } == [0.01, 0.05, 0.01, 0.05, 0.01])
        engine.detach(follower)
        await microphone.close()
    }

    @Test("Whoever follows is told the route, in the second call as in the first, and beside another one")
    func laterFollowers() async {
        for call in 1...2 {
            let routes = Mutex<[Int]>([0, 0])
            let first = engine.follow { if case .route = $0 { routes.withLock { $0[0] += 1 } } }
            let player = engine.play { _ in true }
            await engine.settled()
            let second = engine.follow { if case .route = $0 { routes.withLock { $0[1] += 1 } } }
            await engine.settled()
            #expect(routes.withLock { $0 } == [1, 1], "call \(call)")
            for client in [first, player, second] { engine.detach(client) }
            await engine.settled()
        }
    }

    @Test("A call from the lock screen: it is answered, and sound begins when the system has activated the session")
    func lockScreen() async {
        let (ear, diary) = (Ear(), Diary())
        system.callKit(activates: false)
        engine.setMayRun(false)
        for call in 1...2 {
            let microphone = microphone("builtin", diary)
            let opened = await microphone.open()
            #expect(throws: Never.self) { try opened.get() }
            microphone.start(delivering: ear)
            let player = engine.play { _ in true }
            await engine.settled()
            #expect(!system.isRunning)
            system.callKit(activates: true)
            engine.setMayRun(true)
            await engine.settled()
            #expect(system.isRecording && system.isPlaying && system.timesBuilt == call)
            await microphone.close()
            engine.detach(player)
            await engine.settled()
            #expect(!system.isRunning)
            system.callKit(activates: false)
            engine.setMayRun(false)
        }
        await engine.settled()
        #expect(diary.events.isEmpty && system.exceptions.isEmpty && system.timesActivated == 0)
    }

    @Test("A telephone call in between is told, and sound goes on after it")
    func telephone() async {
        let diary = Diary()
        let microphone = microphone("builtin", diary)
        microphone.start(delivering: Ear())
        await engine.settled()
        system.interrupt()
        await engine.settled()
        #expect(!system.isRunning && diary.events.count == 1)
        system.endInterruption()
        await engine.settled()
        #expect(system.isRecording && diary.events.last == .resumed && system.exceptions.isEmpty)
        await microphone.close()
    }

    @Test("Who has ended gets nothing, while others go on")
    func ended() async {
        let (first, second) = (Ear(), Ear())
        let microphones = [microphone(nil), microphone(nil)]
        microphones[0].start(delivering: first)
        microphones[1].start(delivering: second)
        await engine.settled()
        system.run(milliseconds: 100)
        #expect(await eventually { first.count > 5 && second.count > 5 })
        microphones[0].stop()
        let count = first.count
        system.run(milliseconds: 100)
        #expect(await eventually { second.count > 15 })
        #expect(first.count <= count + 1 && system.timesBuilt == 1)
        for microphone in microphones { await microphone.close() }
    }
}
