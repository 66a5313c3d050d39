import Foundation
import Testing

@Suite("The window of a call", .serialized)
struct VideoCallWindowTests {
    private func open(on screen: VirtualScreen, _ arguments: [String] = []) async throws -> Child {
        let probe = try Child.probe(["call", "--seconds", "240", "--rate", "10"] + arguments, on: screen)
        #expect(try await probe.line("open") != nil, "\(probe.lines)")
        // There is no window manager that would give it the keyboard.
        try await screen.xdotool(["search", "--sync", "--onlyvisible", "--name", "Bob", "windowfocus", "--sync"])
        return probe
    }

    @Test("Keys switch microphone and camera off and on, and hang up")
    func keys() async throws {
        let screen = try await VirtualScreen()
        let probe = try await open(on: screen)
        for (key, line) in [
            ("m", "microphone false"), ("ctrl+d", "microphone true"), ("v", "camera false"), ("ctrl+e", "camera true"),
            ("r", "mirror false false"), ("r", "mirror true true"),
        ] {
            try await screen.xdotool(["key", key])
            #expect(try await probe.line(line) != nil, "\(key): \(probe.lines)")
        }
        try await screen.xdotool(["key", "Escape"])
        #expect(try await probe.line("hang-up") != nil)
        #expect(try await probe.status() == 0)
        let counts = try await probe.line("shown").map { $0.split(separator: " ").compactMap { Int($0) } }
        #expect((counts?.first ?? 0) > 0, "no picture was shown: \(probe.lines)")
    }

    @Test("A key switches the camera; a menu offers the others, and what is chosen in it is told once")
    func devices() async throws {
        let screen = try await VirtualScreen()
        let probe = try await open(on: screen, ["--devices"])
        try await screen.xdotool(["key", "c"])
        #expect(try await probe.line("switch-camera") != nil, "\(probe.lines)")
        // From the microphone past camera, switch and mirror to the menu, which opens with its first list; the second camera.
        try await screen.xdotool(["key", "--delay", "120", "Tab", "Tab", "Tab", "Tab", "space"])
        try await screen.xdotool(["sleep", "0.4", "key", "--delay", "200", "space", "Down", "Return"])
        #expect(try await probe.line("choose") == "choose camera 1", "\(probe.lines)")
        try await screen.xdotool(["key", "--delay", "200", "Escape", "Escape"])
        #expect(try await probe.line("hang-up") != nil)
        #expect(probe.lines.count { $0.hasPrefix("choose") } == 1)
    }

    @Test("Buttons do the same")
    func buttons() async throws {
        let screen = try await VirtualScreen()
        let probe = try await open(on: screen)
        // The middle of the buttons, in the window of 960 by 580 in the corner of the screen.
        for (x, line) in [
            (371, "microphone false"), (437, "camera false"), (503, "mirror false"), (579, "hang-up"),
        ] {
            try await screen.xdotool(["mousemove", "\(x)", "492", "sleep", "0.1", "click", "1"])
            #expect(try await probe.line(line) != nil, "\(line): \(probe.lines)")
        }
        #expect(try await probe.status() == 0)
    }
}
