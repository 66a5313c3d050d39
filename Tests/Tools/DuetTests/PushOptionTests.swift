import ArgumentParser
import Foundation
import RTCSignaling
import Testing

@testable import DuetShell
@testable import duet

@Suite("Options of duet serve for pushes")
struct PushOptionTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"
    /// No secret, as one can see.
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzUJEtrNfGaRoznfk
        9sknc61L7AUXimE1yFlk440tOU+hRANCAASWOLtFGzWjNAZRGN4WlM5NrZ+nkuaN
        Vq27aXCPM+1Y15y1xN4/uqBzDeCIaJs8AU5wwePrJhj8gEXfraOW/Hh0
        -----END PRIVATE KEY-----

        """
    private static let tokens = AuthenticationOption.tokens(file: "tokens")

    private func withFile(_ text: String, _ body: (String) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("duet-push-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await body(file.path)
    }

    private func refuses(_ settings: PushSettings, _ auth: AuthenticationOption = tokens) async -> Bool {
        do {
            _ = try await settings.makeSenders(auth: auth)
            return false
        } catch {
            return true
        }
    }

    @Test("Options override the environment, whose empty values are none")
    func sources() async throws {
        let options = try ServeCommand.parse(["--push-webhook", "https://a.example/x", "--apns-key-id", "ABCDEFGHIJ"])
            .push
        let merged = options.merged(with: [
            "DUET_PUSH_WEBHOOK": "https://b.example/", "DUET_PUSH_WEBHOOK_SECRET_FILE": "secret",
            "DUET_APNS_KEY": "key.p8", "DUET_APNS_KEY_ID": "0123456789", "DUET_APNS_TEAM": "TEAMTEAM01",
            "DUET_APNS_TOPIC": "org.example.Calls", "DUET_APNS_SANDBOX": "1", "DUET_APNS_SERVER": "https://localhost:1",
            "DUET_APNS_AUTHORITY": "ca.pem",
        ])
        #expect(merged.webhook == "https://a.example/x" && merged.webhookSecretFile == "secret")
        #expect(merged.apnsKey == "key.p8" && merged.apnsKeyID == "ABCDEFGHIJ" && merged.apnsTeam == "TEAMTEAM01")
        #expect(merged.apnsTopic == "org.example.Calls" && merged.isSandbox)
        #expect(merged.apnsServer == "https://localhost:1" && merged.apnsAuthority == "ca.pem")
        let none = try ServeCommand.parse([]).push.merged(with: ["DUET_PUSH_WEBHOOK": "", "DUET_APNS_SANDBOX": "0"])
        #expect(none == PushSettings())
        let senders = try await none.makeSenders(auth: .open)
        #expect(senders == nil)
    }

    @Test("A webhook and its secret belong together, and need users who prove who they are")
    func webhook() async throws {
        try await withFile(Self.secret) { file in
            var settings = PushSettings(webhook: "https://a.example/x", webhookSecretFile: file)
            let senders = try #require(try await settings.makeSenders(auth: Self.tokens))
            #expect(senders.makeService().webhook != nil && senders.makeService().devices == nil)
            #expect(await refuses(settings, .open))
            settings.webhook = "http://a.example/x"
            #expect(await refuses(settings))
            settings.webhook = nil
            #expect(await refuses(settings))
        }
        #expect(await refuses(PushSettings(webhook: "https://a.example/x", webhookSecretFile: "/nonexistent/secret")))
        #expect(await refuses(PushSettings(webhook: "https://a.example/x")))
    }

    @Test("A key of Apple's, its identifiers and the app belong together")
    func apns() async throws {
        try await withFile(Self.key) { file in
            let settings = PushSettings(
                apnsKey: file, apnsKeyID: "ABCDEFGHIJ", apnsTeam: "TEAMTEAM01", apnsTopic: "org.example.Calls")
            let senders = try #require(try await settings.makeSenders(auth: Self.tokens))
            #expect(senders.makeService().webhook == nil && senders.makeService().devices != nil)
            try senders.reload()
            #expect(await refuses(settings, .open))
            let breaches: [(inout PushSettings) -> Void] = [
                { $0.apnsKey = nil }, { $0.apnsKeyID = nil }, { $0.apnsTeam = nil }, { $0.apnsTopic = nil },
                { $0.apnsKeyID = "ABC" }, { $0.apnsTeam = "TEAM-TEAM1" }, { $0.apnsTopic = "org.example.Calls.voip" },
                { $0.apnsTopic = "org.example\r\nx: y" }, { $0.apnsServer = "http://127.0.0.1:1" },
                { $0.apnsServer = "https://127.0.0.1/path" }, { $0.apnsAuthority = "/nonexistent/ca.pem" },
                { $0.tokens = "/nonexistent/tokens" },
            ]
            for (number, breach) in breaches.enumerated() {
                var wrong = settings
                breach(&wrong)
                #expect(await refuses(wrong), "\(number)")
            }
        }
        try await withFile(Self.secret) { file in
            #expect(
                await refuses(
                    PushSettings(
                        apnsKey: file, apnsKeyID: "ABCDEFGHIJ", apnsTeam: "TEAMTEAM01", apnsTopic: "org.example.Calls"))
            )
        }
        #expect(await refuses(PushSettings(isSandbox: true)))
        #expect(await refuses(PushSettings(tokens: "tokens")))
    }

    @Test("Tokens are kept in a file that nobody else may read, and are there again")
    func tokenFile() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("duet-tokens-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try PushTokenFile(path)
        #expect(file.takeTokens().isEmpty)
        let user = try #require(UserID(rawValue: "bob"))
        let device = try #require(SignalingDeviceID(rawValue: "phone"))
        let token = try #require(PushToken(bytes: [UInt8](repeating: 1, count: 32)))
        let stored = StoredPushToken(user: user, device: device, token: token, registeredAt: 7)
        file.write([stored])
        file.flush()
        let again = try PushTokenFile(path)
        #expect(again.takeTokens() == [stored])
        #expect(again.takeTokens().isEmpty, "they are taken once")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        for text in ["", "{", "[{}]", #"[{"user":"a b"}]"#] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: Refusal.self) { try PushTokenFile(path) }
        }
        #expect(throws: Refusal.self) { try PushTokenFile("/nonexistent/tokens") }
        #expect(throws: Refusal.self) { try PushTokenFile("/") }
    }

    @Test("Files are read again; one that cannot be used changes nothing, and no error shows a secret")
    func reload() async throws {
        try await withFile(Self.secret) { file in
            let settings = PushSettings(webhook: "https://a.example/x", webhookSecretFile: file)
            let senders = try #require(try await settings.makeSenders(auth: Self.tokens))
            try senders.reload()
            try Data("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS".utf8).write(to: URL(fileURLWithPath: file))
            let error = #expect(throws: Refusal.self) { try senders.reload() }
            #expect(error?.description.contains("MfKQ") == false)
        }
    }
}
