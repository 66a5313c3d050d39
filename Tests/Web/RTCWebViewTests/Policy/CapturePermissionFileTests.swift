import Foundation
import Synchronization
import Testing

@testable import RTCWebView

@Suite("The file of the answers to pages")
struct CapturePermissionFileTests {
    private func entries(_ count: Int) throws -> [CapturePermissions.Entry] {
        let page = try #require(WebOrigin("https://page.example"))
        return try (0..<count).map { number in
            CapturePermissions.Entry(
                origin: try #require(WebOrigin("https://\(number).frame.example")), page: page, kind: .camera,
                isGranted: true)
        }
    }

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("duet-answers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    /// The modes of the files of a folder.
    private static func modes(_ folder: String) -> [mode_t] {
        guard let list = opendir(folder) else { return [] }
        defer { closedir(list) }
        var modes: [mode_t] = []
        while let entry = readdir(list) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            guard lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            modes.append(status.st_mode & 0o777)
        }
        return modes
    }

    @Test("What is saved is there again, and nobody else may read it at any moment")
    func mode() async throws {
        try await withFolder { folder in
            let file = CapturePermissionFile(folder.appendingPathComponent("answers.json"))
            let entries = try entries(300)
            let path = folder.path
            let isOver = Mutex(false)
            let watching = Task.detached { () -> Set<mode_t> in
                var modes: Set<mode_t> = []
                while !isOver.withLock({ $0 }) { modes.formUnion(Self.modes(path)) }
                return modes
            }
            for _ in 0..<200 { file.save(entries) }
            isOver.withLock { $0 = true }
            let modes = await watching.value.union(Self.modes(path))
            #expect(modes == [0o600])
            #expect(file.load() == entries)
        }
    }

    @Test("A symbolic link is replaced, not followed")
    func link() async throws {
        try await withFolder { folder in
            let (link, target) = (folder.appendingPathComponent("answers.json"), folder.appendingPathComponent("other"))
            try Data("mine".utf8).write(to: target)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            let file = CapturePermissionFile(link)
            let entries = try entries(1)
            file.save(entries)
            #expect(file.load() == entries)
            #expect(try Data(contentsOf: target) == Data("mine".utf8))
        }
    }
}
