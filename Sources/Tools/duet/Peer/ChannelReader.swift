import DuetShell
import RTC

/// Prints the messages of a channel, and sends them back with `--echo`.
struct ChannelReader: Sendable {
    let channel: DataChannel
    let output: LineWriter
    let echoes: Bool

    /// Reads until the channel is closed and empty.
    func run() async {
        while true {
            let messages = await channel.receive()
            if messages.isEmpty { return }
            var lines: [UInt8] = []
            for message in messages { lines.append(contentsOf: event(for: message).line) }
            output.write(bytes: lines)
            if echoes { try? await channel.send(contentsOf: messages) }
            // A slow reader of standard output slows the other peer down.
            await output.waitForRoom()
        }
    }

    private func event(for message: DataChannel.Message) -> JSONValue {
        let content: JSONValue.Members =
            switch message {
            case .text(let text): ["text": text]
            case .binary(let bytes): ["size": bytes.count]
            }
        return .event("message", ["label": channel.label] + content)
    }
}
