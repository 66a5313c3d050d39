import DuetShell
import Foundation
import RTC

/// Sends a file over a data channel: first a text with its size in bytes, then its bytes in binary messages.
enum FileTransfer {
    static let messageSize = 64 << 10
    /// The number of messages that are passed to the channel at once.
    static let batchCount = 8
    static let progressInterval = Duration.milliseconds(100)
}

struct FileTransferError: Error, CustomStringConvertible {
    var description: String
}

struct FileSender: Sendable {
    let file: URL
    let channel: DataChannel

    func run(_ output: LineWriter) async throws {
        let content = try DemoFile.map(file)
        try await channel.send(String(content.count))
        var next = content.startIndex
        while next < content.endIndex {
            var batch: [DataChannel.Message] = []
            while next < content.endIndex, batch.count < FileTransfer.batchCount {
                let end = min(next + FileTransfer.messageSize, content.endIndex)
                batch.append(.binary([UInt8](content[next..<end])))
                next = end
            }
            try await channel.send(contentsOf: batch)
        }
        var report = DemoReport(.sent)
        report.bytes = content.count
        report.checksum = DemoFile.checksum(content)
        output.write(bytes: report.line)
    }
}

struct FileReceiver: Sendable {
    let file: URL
    let channel: DataChannel

    func run(_ output: LineWriter) async throws {
        var messages = await channel.receive()[...]
        guard case .text(let header)? = messages.popFirst(), let size = Int(header), size >= 0 else {
            throw FileTransferError(description: "the other process did not say how large its file is")
        }
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw FileTransferError(description: "\(file.path) cannot be written")
        }
        let handle = try FileHandle(forWritingTo: file)
        let start = ContinuousClock.now
        var (received, lastProgress) = (0, start)
        while received < size {
            if messages.isEmpty { messages = await channel.receive()[...] }
            guard case .binary(let bytes)? = messages.popFirst(), received + bytes.count <= size else {
                throw FileTransferError(description: "the file ended after \(received) of \(size) bytes")
            }
            try handle.write(contentsOf: bytes)
            received += bytes.count
            if lastProgress.duration(to: .now) >= FileTransfer.progressInterval, received < size {
                lastProgress = .now
                var report = DemoReport(.progress)
                report.bytes = received
                output.write(bytes: report.line)
            }
        }
        // Measured before the checksum, which takes time too.
        var report = DemoReport(.progress)
        report.bytes = received
        report.seconds = start.duration(to: .now) / .seconds(1)
        output.write(bytes: report.line)
        try handle.close()
        report.event = .received
        report.checksum = DemoFile.checksum(try DemoFile.map(file))
        output.write(bytes: report.line)
    }
}
