import Foundation
import Logging
import RTC
import RTCDevices
package import RTCSignaling
import WebRTCKit

/// Creates the parts of a call session, and runs it.
package enum CallRun {
    /// Signs in, makes one call or takes calls, and reports to standard output.
    ///
    /// - Parameters:
    ///   - signaling: The server, and the user to sign in as.
    ///   - probe: Watches the media.
    /// - Returns: The exit status of the program.
    /// - Throws: ``Refusal`` if an option cannot be satisfied.
    package static func run(
        _ settings: CallSettings, _ options: CallMedia, signaling: SignalingClient.Configuration,
        probe: (any CallProbe)? = nil
    ) async throws(Refusal) -> Int32 {
        // Installed before anything slow, so that a signal counts from the beginning.
        let (actions, action) = AsyncStream.makeStream(of: CallAction.self)
        let reporter = makeReporter(settings) { action.yield($0) }
        let (troubles, trouble) = AsyncStream.makeStream(of: String.self)
        let machine = try CallMachine.open(options, playsSound: settings.playsSound)
        let files = try options.files()
        var local = try LocalMedia.open(
            video: files.video, size: options.size, audio: files.audio, probe: probe
        ) { trouble.yield($0) }
        local.hasCamera = local.video != nil || machine?.sendsPicture == true
        local.hasMicrophone = local.audio != nil || machine?.sendsSound == true
        var sinks = CallSinks(probe: probe)
        sinks.recording = try settings.recording.map { path throws(Refusal) in
            try CallDevices.openRecording(path)
        }
        // The machine's devices include a loudspeaker.
        if settings.playsSound, machine?.devices.speaker == nil {
            sinks.speaker = try openSpeaker(settings, reporter)
        }
        if settings.window != .none {
            sinks.screen = try await openScreen(settings, local, reporter) { action.yield($0) }
        }
        let server = DuetSignaling(signaling, ringTime: .seconds(settings.ringTime))
        let controller = await WebRTCKit.initialize(
            signalingServer: server, config: settings.config,
            options: settings.options(speaker: sinks.speaker?.sink, machine: machine))
        let session = CallSession(
            settings, controller: controller, signaling: server, reporter: reporter, local: local, sinks: sinks,
            machine: machine)
        var carrying = [
            Task { for await action in actions { session.request(action) } },
            Task { for await text in troubles { session.feed.yield(.trouble(text)) } },
        ]
        if let machine, sinks.screen != nil {
            carrying.append(
                Task { for await _ in machine.devices.list.changes() { session.feed.yield(.devicesChanged) } })
            carrying.append(
                Task { for await _ in machine.devices.cameras.changes() { session.feed.yield(.devicesChanged) } })
        }
        defer { carrying.forEach { $0.cancel() } }
        return await session.run()
    }

    private static func openSpeaker(
        _ settings: CallSettings, _ reporter: any CallReporter
    ) throws(Refusal) -> CallSpeaker? {
        do {
            let speaker = try CallDevices.openSpeaker()
            if !speaker.isAudible { reporter.show(.note("There is no sound card: nobody hears the sound.")) }
            return speaker
        } catch {
            guard settings.window == .ifAvailable else { throw error }
            return nil
        }
    }

    private static func openScreen(
        _ settings: CallSettings, _ local: LocalMedia, _ reporter: any CallReporter,
        onAction: @escaping @Sendable (CallAction) -> Void
    ) async throws(Refusal) -> CallScreen? {
        do {
            return try await CallWindow.open(local: local, onAction: onAction)
        } catch {
            guard settings.window == .ifAvailable else { throw error }
            reporter.show(.note("There is no window: \(error)"))
            return nil
        }
    }

    /// Creates the reporter, and turns termination signals and commands on standard input into actions.
    private static func makeReporter(
        _ settings: CallSettings, onAction: @escaping @Sendable (CallAction) -> Void
    ) -> any CallReporter {
        TerminationSignals.onTermination { onAction(.end) }
        guard settings.isJSON else { return CallDisplay() }
        let output = LineWriter(STDOUT_FILENO) { onAction(.end) }
        LineReader.start(STDIN_FILENO) { element in
            // The end of the input has no meaning, since scripts may provide none.
            guard case .line(let line) = element else { return }
            if let action = CallAction(parsing: line) {
                onAction(action)
            } else if line.contains(where: { $0 > 0x20 }) {
                output.write(.event("error", ["message": "a line of standard input is no command"]))
            }
        }
        return JSONCallReporter(output: output)
    }
}

extension CallAction {
    private struct Line: Decodable {
        var command: String
        var kind: String?
        var text: String?
        var device: String?
    }

    /// Reads `{"command": …}`.
    init?(parsing line: [UInt8]) {
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(line)) else { return nil }
        switch line.command {
        case "hangUp": self = .hangUp
        case "answer": self = .accept
        case "reject": self = .reject
        case "restartIce": self = .restartICE
        case "close": self = .end
        case "mute", "unmute":
            guard let kind = line.kind.flatMap({ MediaKind(rawValue: $0) }) else { return nil }
            self = .setMuted(line.command == "mute", kind)
        case "devices": self = .device(.list)
        case "switchCamera": self = .device(.switchCamera)
        case "camera", "microphone", "speaker":
            guard let device = line.device, let media = MediaDevice.Media(rawValue: line.command) else { return nil }
            self = .device(.choose(media, device))
        case "chat":
            guard let text = line.text else { return nil }
            self = .chat(text)
        default: return nil
        }
    }
}
