import ArgumentParser
import Testing

@testable import DuetShell
@testable import duet

@Suite("Options of duet serve for metrics")
struct MetricsOptionTests {
    private func place(_ arguments: [String], _ environment: [String: String] = [:]) throws -> String? {
        let place = try ServeCommand.parse(arguments).metricsPlace.place(environment)
        return place.map { "\($0.address) \($0.port)" }
    }

    @Test("There is no port unless somebody asks for it; this machine alone reaches it by default")
    func places() throws {
        #expect(try place([]) == nil)
        #expect(try place(["--metrics"]) == nil)
        #expect(try place(["--metrics-port", "9464"]) == "127.0.0.1 9464")
        #expect(try place(["--metrics-port", "0", "--metrics-address", "::"]) == ":: 0")
    }

    @Test("The environment counts for what no option says")
    func environment() throws {
        let environment = ["DUET_METRICS_PORT": "9000", "DUET_METRICS_ADDRESS": "10.0.0.1"]
        #expect(try place([], environment) == "10.0.0.1 9000")
        #expect(try place(["--metrics-port", "1"], environment) == "10.0.0.1 1")
        #expect(try place(["--metrics-address", "::1"], environment) == "::1 9000")
        #expect(try place([], ["DUET_METRICS_PORT": "", "DUET_METRICS_ADDRESS": ""]) == nil)
        #expect(try place([], ["DUET_METRICS_ADDRESS": "10.0.0.1"]) == nil)
    }

    @Test("What is no port is refused", arguments: ["-1", "65536", "x", "1.5"])
    func refused(port: String) {
        #expect(throws: (any Error).self) { try ServeCommand.parse(["--metrics-port=\(port)"]) }
        #expect(throws: Refusal.self) { try place([], ["DUET_METRICS_PORT": port]) }
    }

    @Test("An address without a port is a mistake")
    func addressAlone() {
        #expect(throws: (any Error).self) { try ServeCommand.parse(["--metrics-address", ""]) }
        #expect(throws: Refusal.self) { try place(["--metrics-address", "::1"]) }
    }
}
