import Foundation
import RTCViews
import Testing

@Suite("The main loop and the main actor", .serialized)
struct MainLoopTests {
    /// `answers 200 median 0.01 worst 0.12`
    private func answers(_ line: String?) -> (count: Double, median: Double, worst: Double)? {
        let numbers = (line ?? "").split(separator: " ").compactMap { Double($0) }
        return numbers.count == 3 ? (numbers[0], numbers[1], numbers[2]) : nil
    }

    @Test(
        "Functions of the main actor answer at once while a window is open, on one thread, and the loop sleeps in between"
    )
    func window() async throws {
        let screen = try await VirtualScreen()
        let probe = try Child.probe(["actor"], on: screen)
        let answers = try #require(answers(try await probe.line("answers")), "\(probe.lines)")
        #expect(answers.count == 200)
        #expect(answers.median < 5, "\(answers.median) ms")
        // Milliseconds of processor time in one second without anything to do: a loop that polls needs all of them.
        let idle = try await probe.line("idle").flatMap { Double($0.dropFirst(5)) }
        #expect(try #require(idle) < 100)
        #expect(try await probe.line("thread") == "thread true")
        #expect(try await probe.status() == 0)
    }

    @Test("Without a window the loop needs neither GTK nor a screen")
    func headless() async throws {
        let probe = try Child.probe(["headless"])
        let answers = try #require(answers(try await probe.line("answers")), "\(probe.lines)")
        #expect(answers.count == 200 && answers.median < 5)
        #expect(try await probe.line("thread") == "thread true")
        #expect(try await probe.status() == 0)
    }

    @Test("Without a screen a window is refused in one sentence")
    func refuses() async throws {
        let probe = try Child.probe(["actor"])
        #expect(try await probe.line("error")?.contains("without a screen") == true, "\(probe.lines)")
        #expect(try await probe.status() == 1)
        let elsewhere = try Child.probe(["actor"], display: ":64999")
        #expect(try await elsewhere.status() == 1)
    }

    @Test("On a thread that is not the first one the loop is refused, and a window without the loop")
    func elsewhere() async throws {
        // Tests never run on the first thread.
        let error = await #expect(throws: ViewError.self) { try await MainActor.run { try MainLoop.run {} } }
        #expect(error?.code == .wrongThread)
        let window = await #expect(throws: ViewError.self) {
            try await MainActor.run { _ = try VideoCallWindow(title: "Nobody") }
        }
        #expect(window?.code == .noMainLoop)
    }
}
