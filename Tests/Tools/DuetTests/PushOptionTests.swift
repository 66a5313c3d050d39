import ArgumentParser
import Foundation
import RTCSignaling
import Testing

@testable import DuetShell
@testable import duet

@Suite("Options of duet serve for pushes")
struct PushOptionTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"
    private static let tokens = AuthenticationOption.tokens(file: "tokens")

    private func withFile<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("duet-push-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file.path)
    }

    @Test("Options override the environment, whose empty values are none")
    func sources() throws {
        let options = try ServeCommand.parse(["--push-webhook", "https://a.example/x"]).push
        let merged = options.merged(with: [
            "DUET_PUSH_WEBHOOK": "https://b.example/", "DUET_PUSH_WEBHOOK_SECRET_FILE": "secret",
        ])
        #expect(merged.webhook == "https://a.example/x" && merged.webhookSecretFile == "secret")
        let none = try ServeCommand.parse([]).push.merged(with: ["DUET_PUSH_WEBHOOK": ""])
        #expect(none == PushSettings())
        let senders = try none.makeSenders(auth: .open)
        #expect(senders == nil)
    }

    @Test("A webhook and its secret belong together, and need users who prove who they are")
    func webhook() throws {
        try withFile(Self.secret) { file in
            var settings = PushSettings(webhook: "https://a.example/x", webhookSecretFile: file)
            let senders = try #require(try settings.makeSenders(auth: Self.tokens))
            #expect(senders.service.webhook != nil && senders.service.devices == nil)
            #expect(throws: Refusal.self) { try settings.makeSenders(auth: .open) }
            settings.webhook = "http://a.example/x"
            #expect(throws: Refusal.self) { try settings.makeSenders(auth: Self.tokens) }
            settings.webhook = nil
            #expect(throws: Refusal.self) { try settings.makeSenders(auth: Self.tokens) }
        }
        let missing = PushSettings(webhook: "https://a.example/x", webhookSecretFile: "/nonexistent/secret")
        #expect(throws: Refusal.self) { try missing.makeSenders(auth: Self.tokens) }
        #expect(throws: Refusal.self) {
            try PushSettings(webhook: "https://a.example/x").makeSenders(auth: Self.tokens)
        }
    }

    @Test("Files are read again; one that cannot be used changes nothing, and no error shows a secret")
    func reload() throws {
        try withFile(Self.secret) { file in
            let settings = PushSettings(webhook: "https://a.example/x", webhookSecretFile: file)
            let senders = try #require(try settings.makeSenders(auth: Self.tokens))
            try senders.reload()
            try Data("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS".utf8).write(to: URL(fileURLWithPath: file))
            let error = #expect(throws: Refusal.self) { try senders.reload() }
            #expect(error?.description.contains("MfKQ") == false)
        }
    }
}
