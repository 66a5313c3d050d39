import Foundation
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
}
