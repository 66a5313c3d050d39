import Glibc
import RTCFrames
import RTCMediaFiles
import RTCViews
import RTCWire

/// What tests of windows run in a process of its own, since a window needs a program's first thread. It prints one line for
/// each thing that happened.
///
///     WindowProbe call [--seconds N] [--film FILE.y4m] [--rate N]
///                                       a call's window with moving pictures; prints the person's events, ends at hang-up
///     WindowProbe actor                 how soon the main actor answers while a window is open
///     WindowProbe headless              the same without any window
///     WindowProbe speed                 how long 720p pictures take to be shown
@main
enum WindowProbe {
    @MainActor static func main() {
        firstThread = pthread_self()
        let arguments = CommandLine.arguments.dropFirst()
        do {
            try MainLoop.run {
                switch arguments.first {
                case "call":
                    try await call(seconds: option("--seconds").flatMap { Int($0) } ?? 10, film: option("--film"))
                case "actor": try await actor(opensWindow: true)
                case "headless": try await actor(opensWindow: false)
                case "speed": try await speed()
                default: say("WindowProbe call|actor|headless|speed")
                }
            }
        } catch {
            say("error \(error)")
            exit(1)
        }
    }

    private static func option(_ name: String) -> String? {
        guard let index = CommandLine.arguments.firstIndex(of: name) else { return nil }
        return CommandLine.arguments.dropFirst(index + 1).first
    }

    @MainActor private static func call(seconds: Int, film: String?) async throws {
        let window = try VideoCallWindow(title: "Bob")
        window.status = "Connected to Bob · 1280 × 720 · 30 fps · VP8 · 1.8 Mbit/s · 24 ms"
        window.placeholder = "Waiting for Bob’s picture…"
        if CommandLine.arguments.contains("--devices") {
            window.choices = [
                .camera: DeviceChoices(names: ["Front", "Back"], used: 0),
                .microphone: DeviceChoices(names: ["Built-in"], used: 0),
            ]
            window.showsSwitchButton = true
        }
        say("open")
        try await Task.sleep(for: .milliseconds(300))
        let rate = option("--rate").flatMap { Double($0) } ?? 30
        let remote: PacedVideoSource
        if let film {
            let reader = try Y4MReader(FileSource(path: film), loops: true)
            remote = PacedVideoSource(reader, framesPerSecond: reader.framesPerSecond)
        } else {
            remote = PacedVideoSource(TestPattern(width: 1280, height: 720), framesPerSecond: rate)
        }
        let local = PacedVideoSource(TestPattern(width: 640, height: 360), framesPerSecond: rate)
        remote.start(delivering: window.remoteView)
        local.start(delivering: window.localView)
        let timer = Task {
            try await Task.sleep(for: .seconds(seconds))
            window.close()
        }
        for await event in window.events {
            switch event {
            case .microphone(let isOn): say("microphone \(isOn)")
            case .camera(let isOn):
                say("camera \(isOn)")
                if isOn {
                    local.start(delivering: window.localView)
                } else {
                    local.stop()
                    window.localView.clear()
                }
            case .mirror(let isOn): say("mirror \(isOn) \(window.localView.isMirrored)")
            case .switchCamera: say("switch-camera")
            case .choose(let device, let index): say("choose \(device.rawValue) \(index)")
            case .hangUp:
                say("hang-up")
                window.close()
            }
        }
        timer.cancel()
        remote.stop()
        local.stop()
        let counts = window.remoteView.counts
        say("shown \(counts.shown) dropped \(counts.dropped)")
    }

    /// A function of the main actor, which others wait for.
    @MainActor private static func answer(_ number: Int) -> Bool { number >= 0 && MainLoop.isRunning }

    @MainActor private static var firstThread = pthread_self()

    @MainActor private static func actor(opensWindow: Bool) async throws {
        let window = opensWindow ? try VideoCallWindow(title: "Probe") : nil
        // Until it is drawn for the first time, it has much to do.
        try await Task.sleep(for: .milliseconds(600))
        let waits = await Task.detached {
            var waits: [Double] = []
            for number in 0..<200 {
                let start = milliseconds(CLOCK_MONOTONIC)
                _ = await answer(number)
                waits.append(milliseconds(CLOCK_MONOTONIC) - start)
                if number.isMultiple(of: 20) { try? await Task.sleep(for: .milliseconds(5)) }
            }
            return waits.sorted()
        }.value
        say("answers \(waits.count) median \(waits[waits.count / 2]) worst \(waits.last ?? 0)")
        let processor = milliseconds(CLOCK_PROCESS_CPUTIME_ID)
        try await Task.sleep(for: .seconds(1))
        say("idle \(milliseconds(CLOCK_PROCESS_CPUTIME_ID) - processor)")
        say("thread \(pthread_equal(firstThread, pthread_self()) != 0)")
        window?.close()
    }

    @MainActor private static func speed() async throws {
        let window = try VideoCallWindow(title: "Speed")
        var picture = TestPattern(width: 1280, height: 720)
        guard let frame = picture.nextFrame(at: .zero) else { return }
        try await Task.sleep(for: .milliseconds(500))
        let processor = milliseconds(CLOCK_PROCESS_CPUTIME_ID)
        let count = 60
        for _ in 0..<count {
            window.remoteView.deliver(frame)
            try await Task.sleep(for: .milliseconds(33))
        }
        let each = (milliseconds(CLOCK_PROCESS_CPUTIME_ID) - processor) / Double(count)
        say("processor \(each) ms a picture, shown \(window.remoteView.counts.shown) of \(count)")
        window.close()
    }

    /// At once, for whoever reads it from a pipe.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        write(STDOUT_FILENO, bytes, bytes.count)
    }

    private static func milliseconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1e6
    }
}
