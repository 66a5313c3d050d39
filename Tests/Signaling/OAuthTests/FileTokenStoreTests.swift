import Foundation
import Testing

@testable import OAuth

@Suite("Tokens in a file of the person's own")
struct FileTokenStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "duet-tokens-\(UUID().uuidString)")
    private let key = TokenStoreKey(issuer: "https://id.example.org", clientID: "duet")
    private let other = TokenStoreKey(issuer: "https://id.example.org", clientID: "another")

    private var store: FileTokenStore { FileTokenStore(path: folder.appending(path: "duet/tokens").path) }

    private func remove() { try? FileManager.default.removeItem(at: folder) }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("A program without a Keychain keeps them in a file; one whose Keychain is locked, or declined, does not")
    func place() {
        #expect(TokenStorageLocation(whenKeychainSays: -34_018) == .file)
        for status in [Int32(0), -25_300, -25_299, -25_308, -128, -50] {
            #expect(TokenStorageLocation(whenKeychainSays: status) == .system, "\(status)")
        }
    }

    @Test("What is written is read by the next process, and what is removed is gone")
    func roundTrip() throws {
        defer { remove() }
        #expect(try store.read(key) == nil && store.keys().isEmpty)
        try store.write(Array("one".utf8), for: key)
        try store.write(Array("two \"and\" \u{1F511}".utf8), for: other)
        try store.write(Array("three".utf8), for: key)
        #expect(try store.read(key) == Array("three".utf8))
        #expect(try store.read(other) == Array("two \"and\" \u{1F511}".utf8))
        #expect(Set(try store.keys()) == [key, other])
        try store.remove(key)
        try store.remove(key)
        #expect(try store.read(key) == nil)
        #expect(try store.keys() == [other])
    }

    @Test("Nobody else may read the file, its draft or its folder")
    func permissions() throws {
        defer { remove() }
        try store.write(Array("secret".utf8), for: key)
        #expect(try permissions(store.path) == 0o600)
        #expect(try permissions(folder.appending(path: "duet").path) == 0o700)
        #expect(!FileManager.default.fileExists(atPath: store.path + ".draft"))
    }

    @Test("A file that others may read, a link and a damaged one are not believed; the error names no token")
    func distrust() throws {
        defer { remove() }
        try store.write(Array("secret".utf8), for: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store.path)
        refused(try store.read(key))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store.path)
        #expect(try store.read(key) != nil)

        try Data("[{\"issuer\":\"secret".utf8).write(to: URL(fileURLWithPath: store.path))
        refused(try store.keys())

        let elsewhere = folder.appending(path: "elsewhere").path
        try FileManager.default.moveItem(atPath: store.path, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: store.path, withDestinationPath: elsewhere)
        refused(try store.read(key))
    }

    private func refused<T>(_ body: @autoclosure () throws -> T) {
        do {
            _ = try body()
            Issue.record("it was believed")
        } catch {
            let error = error as? OAuthError
            #expect(error?.code == .tokenStoreFailed)
            #expect(error?.message.contains(store.path) == true && error?.message.contains("secret") == false)
        }
    }

    @Test("Those who write at the same time lose nothing, and those who refresh take turns", .timeLimit(.minutes(1)))
    func turns() async throws {
        defer { remove() }
        let store = store
        try await withThrowingTaskGroup { group in
            for index in 0..<20 {
                group.addTask {
                    let key = TokenStoreKey(issuer: "https://id.example.org", clientID: "\(index)")
                    try store.write(Array("\(index)".utf8), for: key)
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.keys().count == 20)
        try await expectTurns { [key] body in try await store.exclusively(key) { try await body() } }
    }

    #if os(Linux)
        @Test(
            "Those who refresh with the Secret Service take turns, also without a folder of the login session",
            .timeLimit(.minutes(1)), arguments: [false, true])
        func turnsOfTheSystemStore(hasFolder: Bool) async throws {
            defer { remove() }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let store = SystemTokenStore(library: "none", lockFolder: hasFolder ? folder.path : nil)
            try await expectTurns { [key] body in try await store.exclusively(key) { try await body() } }
        }
    #endif

    private func expectTurns(
        _ exclusively: @escaping @Sendable (@escaping @Sendable () async throws -> Void) async throws -> Void
    ) async throws {
        let inside = Counter()
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    try await exclusively {
                        #expect(await inside.enter() == 1)
                        try await Task.sleep(for: .milliseconds(5))
                        await inside.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private actor Counter {
        private var count = 0
        func enter() -> Int {
            count += 1
            return count
        }
        func leave() { count -= 1 }
    }
}
