import Foundation
import RTC
import RTCFrames
import Synchronization
import Testing

@testable import RTC
@testable import WebRTCKit

/// A camera or microphone that counts how often it was started and stopped.
final class CountedMicrophone: AudioSource {
    private let state = Mutex((starts: 0, stops: 0))
    private let source = PacedAudioSource(Tone(frequency: 440))

    func start(delivering sink: any AudioSink) {
        state.withLock { $0.starts += 1 }
        source.start(delivering: sink)
    }

    func stop() {
        state.withLock { $0.stops += 1 }
        source.stop()
    }

    var isRunning: Bool { state.withLock { $0.starts > $0.stops } }
    var starts: Int { state.withLock { $0.starts } }
}

/// What must be gone when a call is over.
///
/// `@unchecked`: references are set before anybody else has it, and only asked whether they are `nil`.
final class CallRemains: @unchecked Sendable {
    private weak var call: CallConnection?
    private weak var connection: PeerConnection?
    private weak var engine: Engine?
    private weak var remoteAudio: AudioTrack?

    init(of caller: Caller) async {
        call = await caller.controller.manager.connection
        connection = call?.connection
        remoteAudio = caller.diary.remoteAudio?.track
        if let connection { await note(connection) }
    }

    private func note(_ connection: isolated PeerConnection) {
        engine = connection.engine
    }

    /// The names of what is still there.
    var names: [String] {
        let all: [(String, AnyObject?)] = [
            ("call", call), ("connection", connection), ("engine", engine), ("remote audio", remoteAudio),
        ]
        return all.filter { $0.1 != nil }.map(\.0)
    }
}

@Suite("Nothing of a call is left behind", .timeLimit(.minutes(2)))
struct CallLifetimeTests {
    @Test("When a call is over everything of it is freed, and devices stop, on both sides")
    func freed() async throws {
        let microphone = CountedMicrophone()
        let pair = try await CallPair { $0.sources.microphone = microphone }
        try await pair.alice.controller.startRecording()
        #expect(!microphone.isRunning)
        try await pair.alice.call(pair.bob)
        #expect(await pair.bob.diary.ear.hears(440))
        #expect(microphone.isRunning)
        let remains = [await CallRemains(of: pair.alice), await CallRemains(of: pair.bob)]
        #expect(remains[0].names == ["call", "connection", "engine"])
        #expect(remains[1].names == ["call", "connection", "engine", "remote audio"])
        try await pair.hangUp()
        #expect(!microphone.isRunning)
        for side in [pair.alice, pair.bob] { side.diary.forget() }
        _ = await eventually { remains.allSatisfy { $0.names.isEmpty } }
        #expect(remains[0].names == [])
        #expect(remains[1].names == [])
        // Recording is not over: the next call has sound again.
        try await pair.alice.call(pair.bob)
        #expect(microphone.starts == 2)
        try await pair.hangUp()
    }

    /// A moment of a call that is still joining.
    enum Moment: CaseIterable {
        /// There is no offer yet.
        case calling
        /// The first signal is on its way, and so is the answer.
        case invited, answered
        /// The two connections find each other; DTLS is done.
        case connecting, connected

        /// The signal that is held on its way.
        fileprivate var held: String? {
            switch self {
            case .invited: "alice invite"
            case .answered: "bob answer"
            default: nil
            }
        }

        /// The state of the caller's connection.
        fileprivate var state: ConnectionState? {
            switch self {
            case .connecting: .connecting
            case .connected: .connected
            default: nil
            }
        }

        /// Whether the callee has a connection.
        fileprivate var isTaken: Bool { self != .calling && self != .invited }
    }

    @Test(
        "Bug 13: Hanging up while the call is still joining leaves nothing of it alive", arguments: Moment.allCases,
        ["alice", "bob"])
    func joining(moment: Moment, ender: String) async throws {
        let microphone = CountedMicrophone()
        let pair = try await CallPair { $0.sources.microphone = microphone }
        try await pair.alice.controller.startRecording()
        await pair.bob.controller.setAutoAcceptCalls(true)
        if let held = moment.held { pair.server.hold(held) }
        try await pair.alice.controller.sendCallRequest(to: "bob")
        if let held = moment.held { #expect(await eventually { pair.server.signals.contains(held) }) }
        if let state = moment.state { #expect(await eventually { pair.alice.diary.states.contains(state) }) }
        let remains = [await CallRemains(of: pair.alice), await CallRemains(of: pair.bob)]
        #expect(remains[0].names.starts(with: ["call", "connection", "engine"]))
        if moment.isTaken { #expect(remains[1].names.starts(with: ["call", "connection", "engine"])) }
        // The callee only if it has a call by now.
        do {
            try await (ender == "alice" ? pair.alice : pair.bob).controller.endCall()
        } catch CallManagerError.invalidStateChange {
            try await pair.alice.controller.endCall()
        }
        // What was on its way comes after the end.
        pair.server.release()
        #expect(await eventually { await pair.alice.controller.state == .idle })
        #expect(await eventually { await pair.bob.controller.state == .idle })
        #expect(await eventually { !microphone.isRunning })
        for side in [pair.alice, pair.bob] {
            #expect(await eventually { await side.controller.manager.connection == nil })
        }
        // Whoever was told of the call was told of its end, before the next one is looked at.
        #expect(await eventually { pair.alice.diary.words.contains { $0.hasPrefix("ended") } })
        #expect(
            await eventually {
                let words = pair.bob.diary.words
                return (words.contains("incoming alice") || moment == .calling)
                    && words.count { $0 == "incoming alice" } == words.count { $0.hasPrefix("ended") }
            })
        for side in [pair.alice, pair.bob] { side.diary.forget() }
        _ = await eventually { remains.allSatisfy { $0.names.isEmpty } }
        #expect(remains[0].names == [])
        #expect(remains[1].names == [])
        try await pair.alice.controller.sendCallRequest(to: "bob")
        #expect(await pair.alice.diary.wait(for: "started"))
        #expect(await pair.bob.diary.wait(for: "started"))
        try await pair.hangUp()
    }

    @Test("A controller that is let go of hangs up, and frees everything")
    func letGo() async throws {
        let pair = try await CallPair()
        let remains: CallRemains
        weak var manager: CallManager?
        do {
            let carol = try await Caller("carol", pair.server)
            try await carol.controller.startRecording()
            try await carol.call(pair.bob)
            remains = await CallRemains(of: carol)
            manager = carol.controller.manager
        }
        #expect(await pair.bob.diary.wait(for: "ended"))
        _ = await eventually { remains.names.isEmpty && manager == nil }
        #expect(remains.names == [])
        #expect(manager == nil)
    }

    @Test("Many calls, one after the other, leave memory, threads and descriptors as they were")
    func many() async throws {
        let count = ProcessInfo.processInfo.environment["DUET_CALLS"].flatMap { Int($0) } ?? 200
        let pair = try await CallPair()
        await pair.bob.controller.setAutoAcceptCalls(true)
        try await pair.alice.controller.startRecording()
        try await pair.bob.controller.startRecording()
        func call() async throws {
            try await pair.alice.controller.sendCallRequest(to: "bob")
            #expect(await pair.alice.diary.wait(for: "started"))
            #expect(await pair.bob.diary.wait(for: "started"))
            try await pair.alice.controller.endCall()
            #expect(await pair.bob.diary.wait(for: "ended"))
            #expect(await pair.alice.diary.wait(for: "ended"))
            pair.alice.diary.forget()
            pair.bob.diary.forget()
            pair.server.forget()
        }
        // What is made once: threads of pools, buffers, the codecs' tables.
        for _ in 0..<max(10, count / 10) { try await call() }
        let before = Footprint.now
        for _ in 0..<count { try await call() }
        let after = Footprint.now
        print("\(count) calls: \(before) before, \(after) after")
        #expect(after.descriptors <= before.descriptors + 2)
        #expect(after.threads <= before.threads + 4)
        // The allocator keeps now more, now less: some MiB whatever the number of calls. A sanitizer keeps what is freed, and gets
        // fewer calls.
        if count >= 200 { #expect(after.kilobytes <= before.kilobytes + 6_144) }
    }
}

/// What this process has.
struct Footprint: CustomStringConvertible {
    var kilobytes: Int
    var threads: Int
    var descriptors: Int

    static var now: Footprint {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        func value(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
        }
        let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        return Footprint(kilobytes: value("VmRSS:"), threads: value("Threads:"), descriptors: descriptors ?? 0)
    }

    var description: String { "\(kilobytes) kB, \(threads) threads, \(descriptors) descriptors" }
}
