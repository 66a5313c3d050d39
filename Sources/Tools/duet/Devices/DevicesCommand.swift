import ArgumentParser
import DuetShell
import Foundation
import RTCDevices

/// `duet devices`
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List cameras, microphones and loudspeakers, or watch the changes.",
        discussion: """
            Each device is listed once, by its name and, in brackets, its identifier, which stays the same when it is plugged in \
            again. Other commands accept either.

            Examples:
              duet devices
              duet devices --watch --json    one line of JSON for each change, those that are there first

            The exit status is 0, or 2 if no device service is available.
            """)

    @Flag(help: "Print changes until Ctrl-C.")
    var watch = false

    @Flag(help: "Print a line of JSON for each device or change.")
    var json = false

    func run() async throws {
        let list: DeviceList
        do {
            list = try DeviceList()
        } catch {
            throw Refusal.exit(error.message)
        }
        TerminationSignals.onTermination { list.stop() }
        let writer = LineWriter(STDOUT_FILENO) { list.stop() }
        if watch {
            for await change in list.changes(includingPresent: true) {
                switch change {
                case .added(let device): tell("added", device, writer)
                case .removed(let device): tell("removed", device, writer)
                case .changed(let device): tell("changed", device, writer)
                }
            }
        } else {
            let devices = list.devices
            for device in devices { tell(nil, device, writer) }
            if devices.isEmpty, !json {
                writer.write(bytes: Array("There is no camera, no microphone and no loudspeaker.\n".utf8))
            }
            for subject in [MediaAuthorization.Subject.video, .audio] where !json { explain(subject, writer) }
        }
        list.stop()
        await writer.finish(within: .seconds(2))
    }

    private func tell(_ event: String?, _ device: MediaDevice, _ writer: LineWriter) {
        if json {
            writer.write(.change(event ?? "added", device))
        } else {
            let sign = ["added": "+ ", "removed": "- ", "changed": "~ "][event ?? ""] ?? ""
            writer.write(bytes: Array("\(sign)\(device.line)\n".utf8))
        }
    }

    /// Explains why devices may be missing.
    private func explain(_ subject: MediaAuthorization.Subject, _ writer: LineWriter) {
        let status = MediaAuthorization.status(for: subject)
        guard status == .denied || status == .restricted else { return }
        let reason = DeviceSystem.ofMachine.authorization.refusal(status, of: subject).message
        writer.write(bytes: Array("(\(reason))\n".utf8))
    }
}
