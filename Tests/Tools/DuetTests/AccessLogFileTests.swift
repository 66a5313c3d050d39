import Foundation
import RTCSignaling
import Testing

@testable import duet

@Suite("The file of the access log")
struct AccessLogFileTests {
    @Test("A file that cannot be opened again is reported")
    func reopening() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let log = try AccessLogFile(folder.appending(path: "access.log").path)
        try log.reopen()
        try FileManager.default.removeItem(at: folder)
        #expect(throws: (any Error).self) { try log.reopen() }
    }

    #if os(Linux)
        @Test("Lines that a full disk did not take are counted, once it takes lines again")
        func fullDisk() throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let path = folder.appending(path: "access.log").path
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
            let log = try AccessLogFile(path)
            let record = AccessRecord(
                time: 1, client: "192.0.2.1", event: .request(method: "GET", path: "/signal", status: 101, bytes: 0))
            for _ in 0..<3 { log.write(record) }
            try FileManager.default.removeItem(atPath: path)
            try log.reopen()
            log.write(record)
            log.write(record)
            log.flush()
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
            #expect(lines == [#"{"event":"lost","count":3}"#, record.json, record.json])
        }
    #endif
}
