import ArgumentParser
import Testing

@testable import duet

@Suite("Options of duet peer")
struct OptionTests {
    @Test("A server is split at the first two commas")
    func servers() throws {
        #expect(try ICEServerOption.parse("stun:turn.example.org:1") == ICEServerOption(url: "stun:turn.example.org:1"))
        #expect(
            try ICEServerOption.parse("turn:turn.example.org?transport=udp,user,pa,ss,")
                == ICEServerOption(url: "turn:turn.example.org?transport=udp", username: "user", credential: "pa,ss,"))
        #expect(
            try ICEServerOption.parse("stun:turn.example.org,user")
                == ICEServerOption(url: "stun:turn.example.org", username: "user"))
        #expect(try ICEServerOption.parse("TURNS:turn.example.org").isRelay)
        #expect(try !ICEServerOption.parse("stun:turn.org").isRelay)
    }

    @Test("What is no server is refused", arguments: ["", "banana", "http://turn.example.org", "stun", ",a,b"])
    func badServers(text: String) {
        #expect(throws: ValidationError.self) { try ICEServerOption.parse(text) }
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
        #expect(plan.size == 16384 && plan.seconds == 0.5 && options.echo)
        for bad in [
            ["1"], ["0", "1"], ["a", "1"], ["1", "0"], ["1", "nan"], ["1", "2", "3"], ["99999999", "1"],
        ] {
            #expect(throws: (any Error).self) { try PeerOptions.parse(["--bench"] + bad) }
        }
    }

    @Test("Relays are understood and not there yet")
    func relays() throws {
        #expect(try PeerOptions.parse([]).refusal == nil)
        #expect(try PeerOptions.parse(["--policy", "relay"]).refusal != nil)
        let turn = try PeerOptions.parse(["--ice-server", "stun:a", "--ice-server", "turn:a,u,secret"])
            .refusal
        #expect(turn?.contains("turn:a") == true && turn?.contains("secret") == false)
    }
}
