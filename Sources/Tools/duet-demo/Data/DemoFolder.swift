import DuetShell
import Foundation
import RTCWire

/// The folder of one run of the demo: the files that are sent and those that are received.
struct DemoFolder: Sendable {
    /// The transfer of one file.
    struct Transfer: Sendable {
        let sent: URL
        let received: URL
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
        /// Whether a signal arrived while the files were created.
        var isInterruption = false
    }

    let url: URL
    /// From the first process to the second, and back.
    let transfers: [Transfer]
    /// The size of each file in bytes.
    let size: Int

    /// - Parameters:
    ///   - file: The file that both send; `nil` to create two files.
    ///   - size: The size of a created file in bytes.
    init(file: String?, size: Int, _ interruption: Interruption) throws(Failure) {
        var isFolder: ObjCBool = false
        if let file, FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), isFolder.boolValue {
            throw Failure(description: "\(file) cannot be sent: it is a folder")
        }
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("duet-demo-" + String(UInt64.random(in: .min ... .max), radix: 36))
        self.url = url
        do {
            var transfers: [Transfer] = []
            var count = size
            for (number, (from, to)) in [("one", "two"), ("two", "one")].enumerated() {
                let receivedFolder = url.appendingPathComponent("received-by-\(to)")
                try FileManager.default.createDirectory(
                    at: receivedFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                let sent: URL
                if let file {
                    sent = URL(fileURLWithPath: file)
                    count = try DemoFile.map(sent).count
                } else {
                    sent = url.appendingPathComponent("from-\(from).bin")
                    try DemoFile.make(sent, size: size, seed: UInt64(number) + 1, interruption)
                }
                let received = receivedFolder.appendingPathComponent(sent.lastPathComponent)
                transfers.append(Transfer(sent: sent, received: received))
            }
            self.transfers = transfers
            self.size = count
        } catch {
            try? FileManager.default.removeItem(at: url)
            if error is CancellationError { throw Failure(description: "interrupted", isInterruption: true) }
            let reason = error.localizedDescription
            let what = file.map { "\($0) cannot be sent" } ?? "no file can be made"
            throw Failure(description: "\(what): \(reason)")
        }
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }
}

enum DemoFile {
    /// Creates a file of pseudo-random bytes, which a seed determines.
    static func make(_ url: URL, size: Int, seed: UInt64, _ interruption: Interruption) throws {
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let file = try FileHandle(forWritingTo: url)
        defer { try? file.close() }
        let noise = SeededRandom(seed: seed)
        var block = [UInt64](repeating: 0, count: 1 << 17)
        var left = size
        while left > 0 {
            try interruption.check()
            for index in block.indices { block[index] = noise.next() }
            let bytes = block.withUnsafeBytes { Data($0.prefix(left)) }
            try file.write(contentsOf: bytes)
            left -= bytes.count
        }
    }

    /// The memory-mapped content of a file, which may be larger than the memory.
    static func map(_ url: URL) throws -> Data {
        try Data(contentsOf: url, options: .alwaysMapped)
    }

    /// Whether both files have the same bytes.
    static func areIdentical(_ first: URL, _ second: URL) -> Bool {
        guard let first = try? map(first), let second = try? map(second), first.count == second.count
        else { return false }
        return first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in
                guard let (first, second, count) = bases(first, second) else { return true }
                return memcmp(first, second, count) == 0
            }
        }
    }

    private static func bases(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> (UnsafeRawPointer, UnsafeRawPointer, Int)? {
        guard let start = first.baseAddress, let other = second.baseAddress else { return nil }
        return (start, other, first.count)
    }

    /// CRC-32c in eight hexadecimal digits.
    static func checksum(_ content: Data) -> String {
        let digits = String(content.withUnsafeBytes { CRC32C.checksum($0) }, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
