import DuetShell
import Testing

@testable import duet_demo

@Suite("The command line of the demo")
struct DemoCommandTests {
    private func call(_ arguments: String...) throws -> CallDemoOptions? {
        if case .call(let options) = try DemoCommand(parsing: arguments) { options } else { nil }
    }

    private func data(_ arguments: String...) throws -> DataDemoOptions? {
        if case .data(let options) = try DemoCommand(parsing: arguments) { options } else { nil }
    }

    @Test("Without arguments it is a call of ten seconds, with a window")
    func nothing() throws {
        let options = try #require(try call())
        #expect(options.duration == 10 && options.showsWindow && !options.isForBrowser && options.log == .warning)
        #expect(options.film == nil && options.speech == nil && options.size == nil && options.codecs.isEmpty)
        #expect(try call("call") == options)
    }

    @Test("Values follow their options, or an equals sign; an option of a list may be given again")
    func values() throws {
        let options = try #require(
            try call(
                "--duration", "60", "--codec=vp9", "--codec", "opus", "--film", "a=b.mp4", "--speech=--talk.wav",
                "--record", "x.webm", "--size", "320x180", "--no-window", "--log=debug"))
        #expect(options.duration == 60 && options.codecs == ["vp9", "opus"] && options.film == "a=b.mp4")
        #expect(options.speech == "--talk.wav" && options.recording == "x.webm" && options.log == .debug)
        #expect(options.size == PictureSize(width: 320, height: 180) && !options.showsWindow)
        let file = try #require(try data("data", "--size", "500", "holiday.mp4", "--keep"))
        #expect(file.file == "holiday.mp4" && file.size == 500 && file.keepsFiles)
        #expect(try DemoCommand(parsing: ["data", "--help"]) == .help)
    }

    @Test(
        "What makes no sense is refused before anything happens",
        arguments: [
            ["--duration", "1"], ["--duration", "3601"], ["--duration", "nan"], ["--duration"], ["--size", "9x9"],
            ["--browser=yes", "--keep"], ["--log", "loud"], ["--nothing"], ["film.mp4"], ["data", "a", "b"],
            ["data", "--size", "0"], ["data", "--duration", "5"], ["--work", "{}"], ["--work"],
        ])
    func refusals(arguments: [String]) {
        let refusal = #expect(throws: Refusal.self) { try DemoCommand(parsing: arguments) }
        #expect(refusal?.description.isEmpty == false)
    }

    @Test("A process gets its work as its parent means it")
    func work() throws {
        var call = CallDemoWork(
            user: "alice", name: "Alice “A”", server: "ws://127.0.0.1:1/signal", video: "test", audio: "tone",
            size: PictureSize(width: 640, height: 360), log: .info)
        call.peer = "bob"
        call.chat = ["Hello, Bob!"]
        let data = DataDemoWork(isOffering: true, sent: "/tmp/a b", received: "/tmp/c", log: .warning)
        for work in [DemoWork.call(call), .data(data)] {
            #expect(try DemoCommand(parsing: try work.arguments) == .work(work))
        }
    }
}
