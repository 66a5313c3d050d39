import ArgumentParser
import Foundation
import RTC
import RTCSignaling
import Testing

@testable import DuetShell
@testable import duet

@Suite("Options of duet peer")
struct OptionTests {
    private typealias Server = PeerConnection.ICEServer

    @Test("A server is split at the first two commas")
    func servers() throws {
        #expect(
            Server(argument: "stun:turn.example.org:1") == Server(url: "stun:turn.example.org:1"))
        #expect(
            Server(argument: "turn:turn.example.org?transport=udp,user,pa,ss,")
                == Server(url: "turn:turn.example.org?transport=udp", username: "user", credential: "pa,ss,"))
        #expect(
            Server(argument: "stun:turn.example.org,user")
                == Server(url: "stun:turn.example.org", username: "user"))
        var dumped = ""
        dump(Server(argument: "turn:turn.example.org,user,hunter2"), to: &dumped)
        #expect(dumped.contains("turn.example.org") && !dumped.contains("hunter2"))
        #expect(Server(argument: "TURNS:turn.example.org").isRelay)
        #expect(!Server(argument: "stun:turn.org").isRelay)
    }

    @Test("What is no server is refused", arguments: ["", "banana", "http://turn.example.org", "stun", ",a,b"])
    func badServers(text: String) {
        #expect(throws: (any Error).self) { try PeerOptions.parse(["--ice-server", text]) }
        #expect(throws: (any Error).self) { try ServeCommand.parse(["--ice-server", text]) }
    }

    @Test(
        "A refused server is told without its credential",
        arguments: ["turn://a,user,hunter2", "turn:a:b,user,hunter2", "turn:user:hunter2@a", "a,hunter2"])
    func refusedWithoutCredential(text: String) {
        let errors = [
            #expect(throws: (any Error).self) { try PeerOptions.parse(["--ice-server", text]) }.map {
                PeerOptions.fullMessage(for: $0)
            },
            #expect(throws: (any Error).self) { try ServeCommand.parse(["--ice-server", text]) }.map {
                ServeCommand.fullMessage(for: $0)
            },
        ]
        for case let message? in errors {
            #expect(message.contains("--ice-server") && !message.contains("hunter2"), "\(message)")
        }
    }

    @Test("TURN servers that share a secret are offered, and everybody gets credentials of their own")
    func relays() async throws {
        let command = try ServeCommand.parse([
            "--ice-server", "stun:s.example", "--turn-url", "turn:t.example", "--turn-url", "turns:t.example:443",
            "--turn-secret", "north", "--turn-lifetime", "3600",
        ])
        let configuration = try await command.makeConfiguration()
        #expect(
            configuration.iceServers.map(\.urls) == [["stun:s.example"], ["turn:t.example", "turns:t.example:443"]])
        let credentials = try #require(configuration.relayCredentials)
        #expect(credentials.lifetime == .seconds(3_600))
        // printf 4600:alice | openssl dgst -sha1 -hmac north -binary | base64
        let alice = try #require(UserID(rawValue: "alice"))
        let (username, credential) = credentials.credentials(for: alice, at: 1_000)
        #expect(username == "4600:alice" && credential == "yVLS7jRIbhPLg+yaWQ8V+sE4g5I=")
        #expect(!"\(configuration.relayCredentials as Any)".contains("north"))
    }

    @Test("The names of a server: options and the environment; a URL is no name")
    func serverNames() async throws {
        let command = try ServeCommand.parse(["--server-name", "a.example", "--server-name", "b.example"])
        #expect(try await command.makeConfiguration().names.isSuperset(of: ["a.example", "b.example"]))
        #expect(ServeCommand.names(of: ["DUET_SERVER_NAME": "c.example, d.example"]) == ["c.example", "d.example"])
        #expect(ServeCommand.names(of: [:]).isEmpty)
        for name in ["https://a.example", "a.example:8080", "", "a/b"] {
            #expect(throws: (any Error).self) { try ServeCommand.parse(["--server-name", name]) }
        }
    }

    @Test("Whoever lets everybody sign in is told that the relay is everybody's then")
    func openRelay() throws {
        let relay = ["--turn-url", "turn:t.example", "--turn-secret", "north"]
        for arguments in [relay, relay + ["--host", "0.0.0.0"], ["--auth", "open"] + relay] {
            let warning = try ServeCommand.parse(arguments).warning
            #expect(warning?.contains("anybody") == true && warning?.contains("north") == false)
        }
        #expect(try ServeCommand.parse(relay + ["--auth", "token=users.txt"]).warning == nil)
        #expect(try ServeCommand.parse(["--host", "0.0.0.0"]).warning == nil)
    }

    @Test(
        "The secret may be a file, so that no list of processes shows it",
        arguments: ["--turn-secret", "--turn-secret-file"])
    func secretFile(option: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID())")
        try Data("  north  \nsouth\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let command = try ServeCommand.parse(["--turn-url", "turn:t.example", option, file.path])
        let credentials = try #require(try await command.makeConfiguration().relayCredentials)
        let alice = try #require(UserID(rawValue: "alice"))
        #expect(credentials.credentials(for: alice, at: 4_600 - 43_200).credential == "yVLS7jRIbhPLg+yaWQ8V+sE4g5I=")
        try Data("\n".utf8).write(to: file)
        let empty = try ServeCommand.parse(["--turn-url", "turn:t.example", option, file.path])
        await #expect(throws: Refusal.self) { try await empty.makeConfiguration() }
    }

    @Test(
        "A name of a file with a slip in it does not become the secret",
        arguments: ["secret.txt", "./secret", "../etc/secret", "/etc/duet/turn", "~/turn-secret", "turn.key"])
    func missingSecretFile(name: String) async throws {
        let command = try ServeCommand.parse(["--turn-url", "turn:t.example", "--turn-secret", name])
        let error = await #expect(throws: Refusal.self) { try await command.makeConfiguration() }
        #expect(error?.description.contains("--turn-secret-file") == true && error?.description.contains(name) == false)
        for secret in ["north", "8f2b+/c9==", "a.b.", "x. y"] { #expect(!ServeCommand.looksLikePath(secret)) }
    }

    @Test("The server says where apps on other machines find it, if they do")
    func nearby() {
        let near = ServeCommand.text(
            page: "http://127.0.0.1:1/", signaling: "ws://127.0.0.1:1/signal", nearby: ["ws://192.168.1.2:1/signal"])
        #expect(
            near.split(separator: "\n").map { $0.split(separator: " ").last }
                == ["http://127.0.0.1:1/", "ws://127.0.0.1:1/signal", "ws://192.168.1.2:1/signal", "stop."])
        let alone = ServeCommand.text(
            page: "http://127.0.0.1:1/", signaling: "ws://127.0.0.1:1/signal", nearby: [])
        #expect(alone.split(separator: "\n").count == 3)
    }

    @Test(
        "What does not belong together is refused",
        arguments: [
            ["--turn-url", "turn:t.example"], ["--turn-secret", "north"],
            ["--turn-secret", "north", "--turn-url", "stun:t.example"],
            ["--turn-secret", "north", "--turn-url", "banana"],
            ["--turn-secret", "north", "--turn-secret-file", "x", "--turn-url", "turn:t.example"],
            ["--turn-secret", "north", "--turn-url", "turn:t.example", "--turn-lifetime", "59"],
            ["--turn-secret", "north", "--ice-server", "turn:t.example,user,password"],
        ])
    func badRelays(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try ServeCommand.parse(arguments) }
        let message = error.map { ServeCommand.fullMessage(for: $0) } ?? ""
        #expect(!message.contains("north") && !message.contains("password"), "\(message)")
    }

    @Test("Port ranges")
    func ports() throws {
        #expect(try PortRangeOption.parse("50000-50100") == 50000...50100)
        #expect(try PortRangeOption.parse("9-9") == 9...9)
        for bad in ["", "9", "9-", "-9", "9-5", "0-5", "1-65536", "a-b", "1-2-3"] {
            #expect(throws: ValidationError.self) { try PortRangeOption.parse(bad) }
        }
    }

    @Test("A measurement takes a size and seconds")
    func bench() throws {
        let options = try PeerOptions.parse(["--bench", "16384", "0.5", "--echo"])
        let plan = try #require(try options.benchPlan)
        #expect(plan.size == 16384 && plan.seconds == 0.5 && options.echo && !plan.isOneByOne)
        #expect(try PeerOptions.parse(["--bench", "1", "1", "--one-by-one"]).benchPlan?.isOneByOne == true)
        for bad in [
            ["1"], ["0", "1"], ["a", "1"], ["1", "0"], ["1", "nan"], ["1", "2", "3"], ["99999999", "1"],
        ] {
            #expect(throws: (any Error).self) { try PeerOptions.parse(["--bench"] + bad) }
        }
    }

    @Test("Relays are taken; the policy wants one")
    func relaysOfPeers() throws {
        #expect(try PeerOptions.parse([]).refusal == nil)
        #expect(try PeerOptions.parse(["--policy", "relay"]).refusal != nil)
        let turn = ["--ice-server", "stun:a", "--ice-server", "turn:a,u,secret"]
        #expect(try PeerOptions.parse(turn).refusal == nil)
        #expect(try PeerOptions.parse(turn + ["--policy", "relay"]).refusal == nil)
    }
}
