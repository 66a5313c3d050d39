import Foundation
import Synchronization
import Testing

@testable import WebRTCKit

/// For the listing of a sink.
final class Counter: Sendable {
    private let count = Mutex(0)
    func add(_ number: Int) { count.withLock { $0 += number } }
}

@Suite("The documentation")
struct DocumentationTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let catalogue = root.appending(path: "Sources/Kit/WebRTCKit/WebRTCKit.docc")

    private static func files(in folder: URL, _ suffix: String) throws -> [URL] {
        let all = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return all.compactMap { $0 as? URL }.filter {
            $0.lastPathComponent.hasSuffix(suffix) && !$0.path(percentEncoded: false).contains("/.build/")
        }
    }

    /// Lines without their indentation; without empty ones.
    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Swift that is compiled: here, and in the examples, which the Apple check and their own packages compile.
    private static func compiled() throws -> [[String]] {
        let here = try files(in: root.appending(path: "Tests/Kit/WebRTCKitTests/Documentation"), ".swift")
        let examples = try files(in: root.appending(path: "Examples"), ".swift")
        let apple = try files(in: root.appending(path: "Scripts/AppleSnippets"), ".swift")
        return try (here + examples + apple).map { lines(try String(contentsOf: $0, encoding: .utf8)) }
    }

    private static func contains(_ lines: [String], _ part: [String]) -> Bool {
        guard let first = part.first, lines.count >= part.count else { return false }
        return lines.indices.contains { start in
            lines[start] == first && start + part.count <= lines.count
                && Array(lines[start..<start + part.count]) == part
        }
    }

    @Test("Every listing of the articles is taken from a file that is compiled, line for line")
    func listings() throws {
        let compiled = try Self.compiled()
        var count = 0
        for article in try Self.files(in: Self.catalogue, ".md") {
            let text = try String(contentsOf: article, encoding: .utf8)
            for block in text.components(separatedBy: "```swift\n").dropFirst() {
                let code = try #require(block.components(separatedBy: "```").first)
                // An ellipsis alone on a line leaves something out.
                for part in code.components(separatedBy: "// …\n") {
                    let part = Self.lines(part)
                    #expect(
                        part.isEmpty || compiled.contains { Self.contains($0, part) },
                        "\(article.lastPathComponent) has a listing that is not compiled:\n\(part.joined(separator: "\n"))"
                    )
                }
                count += 1
            }
        }
        #expect(count > 15)
    }

    @Test("The tutorial's last step is the example's file, and each step before it the same with lines left out")
    func tutorial() throws {
        let steps = try Self.files(in: Self.catalogue, ".swift").sorted { $0.lastPathComponent < $1.lastPathComponent }
        #expect(steps.count >= 5)
        let texts = try steps.map { try String(contentsOf: $0, encoding: .utf8) }
        let final = try String(
            contentsOf: Self.root.appending(path: "Examples/CommandLineCaller/Sources/first-call/FirstCall.swift"),
            encoding: .utf8)
        #expect(texts.last == final)
        for (step, text) in zip(steps, texts) {
            var rest = Self.lines(final)[...]
            for line in Self.lines(text) {
                guard let index = rest.firstIndex(of: line) else {
                    Issue.record("\(step.lastPathComponent) has a line that the example has not: \(line)")
                    break
                }
                rest = rest[(index + 1)...]
            }
        }
    }

    @Test("The article's signalling carries a signal, a candidate and the end of a call, each to its peer")
    func ownSignaling() async throws {
        let (first, second) = Pipe.pair()
        let (alice, bob) = (SocketSignaling(me: "alice", socket: first), SocketSignaling(me: "bob", socket: second))
        let heard = Heard()
        bob.setDelegate(heard)
        #expect(try await alice.connect() == "alice")
        _ = try await bob.connect()
        try await alice.sendSignal(Data("signal".utf8), to: "bob")
        try await alice.sendICECandidate(Data("candidate".utf8), to: "bob")
        try await alice.sendEndCall(to: "bob")
        var log: [String] = []
        for await line in heard.lines {
            log.append(line)
            if log.count == 4 { bob.disconnect() }
            if log.count == 5 { break }
        }
        #expect(log == ["open", "signal from alice, polite false", "candidate from alice", "end from alice", "closed"])
        #expect(!bob.isOpen)
    }

    @Test("The article's signalling closes its socket when it is released")
    func ownSignalingReleased() async throws {
        let (socket, _) = Pipe.pair()
        do {
            let alice = SocketSignaling(me: "alice", socket: socket)
            #expect(try await alice.connect() == "alice" && !socket.isClosed)
        }
        #expect(await eventually { socket.isClosed })
    }

    @Test("The article's signalling passes on the sender's name, the server's words, and that nothing more waits")
    func ownSignalingDetails() async throws {
        let (first, second) = Pipe.pair()
        let bob = SocketSignaling(me: "bob", socket: second)
        let heard = HeardDetails()
        bob.setDelegate(heard)
        _ = try await bob.connect()
        let letters = [
            Letter(kind: .signal, to: "bob", from: "alice/desk", content: Data("signal".utf8), name: "Alice"),
            Letter(kind: .signal, to: "bob", from: "carol", content: Data("signal".utf8), refusal: "Not now."),
            Letter(kind: .allDelivered, to: "bob", from: "bob"),
        ]
        for letter in letters { try await first.send(JSONEncoder().encode(letter)) }
        var log: [String] = []
        for await line in heard.lines {
            log.append(line)
            if log.count == letters.count { break }
        }
        let details = [
            SignalDetails(device: "alice/desk", name: "Alice", nameIsProven: true),
            SignalDetails(device: "carol", refusal: "Not now."),
        ]
        #expect(log == details.map { "\($0)" } + ["all delivered"])
        bob.disconnect()
    }

    @Test("The article's server tells the other devices of an answer, a rejection and a call that all are busy for")
    func ownServer() throws {
        var pushed: [PushedCall] = []
        var server = CallServer { _, call in pushed.append(call) }
        let call = try #require(CallIdentifier(rawValue: "0123456789abcdef"))
        func letter(_ content: CallSignal.Content, from sender: PeerID, to peer: PeerID) -> Letter {
            let signal = Data(CallSignal(call: call, content).encoded())
            return Letter(kind: .signal, to: peer, from: sender, content: signal, name: "A name")
        }
        func words(_ letters: [Letter]) -> [String] {
            letters.map { letter in
                let signal = try? CallSignal(decoding: Array(letter.content))
                return "\(letter.from) → \(letter.to): \(signal.map { "\($0.content)" } ?? letter.kind.rawValue)"
            }
        }
        for device in ["alice/desk", "bob/desk", "bob/phone"] {
            let waiting = server.connect(device)
            #expect(words(waiting) == ["\(device) → \(device): allDelivered"])
        }
        server.disconnect("bob/phone")
        let invitation = letter(.invite(sdp: "v=0", media: [.video]), from: "alice/desk", to: "bob")
        let candidate = Letter(kind: .candidate, to: "bob", from: "alice/desk")

        // The invitation goes to who is there, and waits for who is not.
        let invited = server.take(invitation)
        #expect(invited.map(\.to) == ["bob/desk"] && invited.first?.content == invitation.content)
        let push = PushedCall(from: "alice/desk", call: call.rawValue, name: "A name", hasVideo: true)
        #expect(pushed == [push])
        let trickled = server.take(candidate)
        #expect(words(trickled) == ["alice/desk → bob/desk: candidate"])
        let late = server.connect("bob/phone")
        #expect(late.map(\.kind) == [.signal, .candidate, .allDelivered])
        #expect(late.map(\.to) == ["bob/phone", "bob/phone", "bob/phone"])

        // The first answer ends the ringing elsewhere, and nobody else's does.
        let strange = server.take(letter(.answer(sdp: "v=0"), from: "mallory/x", to: "alice/desk"))
        #expect(strange.count == 1)
        let answered = server.take(letter(.answer(sdp: "v=0"), from: "bob/phone", to: "alice/desk"))
        #expect(answered.map(\.to) == ["alice/desk", "bob/desk"] && answered.last?.from == "alice/desk")
        let end = try CallSignal(decoding: Array(try #require(answered.last).content))
        #expect(end == CallSignal(call: call, .cancel(.answeredElsewhere)))

        // A rejection does the same.
        _ = server.take(invitation)
        let rejected = server.take(letter(.reject(.declined), from: "bob/desk", to: "alice/desk"))
        let other = try CallSignal(decoding: Array(try #require(rejected.last).content))
        #expect(rejected.map(\.to) == ["alice/desk", "bob/phone"])
        #expect(other == CallSignal(call: call, .cancel(.rejectedElsewhere)))

        // The caller hears that all devices are busy, not that one is.
        _ = server.take(invitation)
        let busy = [
            server.take(letter(.busy, from: "bob/desk", to: "alice/desk")).count,
            server.take(letter(.busy, from: "bob/phone", to: "alice/desk")).count,
        ]
        #expect(busy == [0, 1])

        // Nothing waits after the caller has given up.
        _ = server.take(invitation)
        _ = server.take(letter(.cancel(.cancelled), from: "alice/desk", to: "bob"))
        let rest = server.connect("bob/tablet")
        #expect(rest.map(\.kind) == [.allDelivered])
    }

    private final class HeardDetails: SignalingServerDetailsDelegate {
        let lines: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation

        init() { (lines, continuation) = AsyncStream.makeStream() }

        func didReceiveSignal(
            _ signalData: Data, from remotePeerID: PeerID, isPolite: Bool, details: SignalDetails
        ) async {
            continuation.yield("\(details)")
        }
        func didReceiveSignal(_ signalData: Data, from remotePeerID: PeerID, isPolite: Bool) async {
            continuation.yield("a signal without details")
        }
        func waitingSignalsWereDelivered() { continuation.yield("all delivered") }
        func didReceiveICECandidate(_ candidateData: Data, from remotePeerID: PeerID) async {}
        func didReceiveEndCall(from remotePeerID: PeerID) async {}
        func shouldConnect(to remotePeerID: PeerID) async {}
        func socketDidOpen() {}
        func socketDidClose() {}
        func presenceDidChange(of call: CallIdentifier, to presence: Call.Presence, hasNewSession: Bool) async {}
        func messageWasDropped(of call: CallIdentifier) async {}
        func serverDidChange(to server: SignalingServerState) {}
        func serverWasLost(reason: String, endingWith outcome: Call.Outcome) {}
    }

    private final class Pipe: MessageSocket {
        let messages: AsyncStream<Data>
        private let continuation: AsyncStream<Data>.Continuation
        private let other = Mutex<AsyncStream<Data>.Continuation?>(nil)
        private let closed = Mutex(false)

        private init() { (messages, continuation) = AsyncStream.makeStream() }

        static func pair() -> (Pipe, Pipe) {
            let (first, second) = (Pipe(), Pipe())
            first.other.withLock { $0 = second.continuation }
            second.other.withLock { $0 = first.continuation }
            return (first, second)
        }

        func open() async throws {}
        func send(_ message: Data) async throws { _ = other.withLock { $0?.yield(message) } }
        func close() {
            closed.withLock { $0 = true }
            continuation.finish()
        }

        var isClosed: Bool { closed.withLock { $0 } }
    }

    private final class Heard: SignalingServerDelegate {
        let lines: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation

        init() { (lines, continuation) = AsyncStream.makeStream() }

        func didReceiveSignal(_ signalData: Data, from remotePeerID: PeerID, isPolite: Bool) async {
            continuation.yield(
                "\(String(decoding: signalData, as: UTF8.self)) from \(remotePeerID), polite \(isPolite)")
        }
        func didReceiveICECandidate(_ candidateData: Data, from remotePeerID: PeerID) async {
            continuation.yield("\(String(decoding: candidateData, as: UTF8.self)) from \(remotePeerID)")
        }
        func didReceiveEndCall(from remotePeerID: PeerID) async { continuation.yield("end from \(remotePeerID)") }
        func shouldConnect(to remotePeerID: PeerID) async {}
        func socketDidOpen() { continuation.yield("open") }
        func socketDidClose() { continuation.yield("closed") }
    }
}
