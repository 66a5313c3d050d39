#if os(Linux)
    import Foundation
    import RTCPeer
    import RTCWire
    import Testing

    @testable import RTC

    @Suite("What relayed connections leave behind", .timeLimit(.minutes(15)))
    struct RelayLifetimeTests {
        @Test(
            "Many connections through coturn, one after the other: descriptors, memory and the server's sockets stay flat"
        )
        func flat() async throws {
            let count = ProcessInfo.processInfo.environment["DUET_CALLS"].flatMap { Int($0) } ?? 50
            let coturn = try await Coturn()
            defer { coturn.stop() }
            // What is made once: the regions of the event loops, the library's tables.
            for number in 0..<max(10, count / 10) { try await Self.call(coturn, number) }
            let before = Footprint(coturn)
            for number in 0..<count { try await Self.call(coturn, number) }
            // The last ones wait for the server's answer to their release.
            let isFreed = await eventually(within: 10) {
                let now = Footprint(coturn)
                return now.serverSockets <= before.serverSockets && now.descriptors <= before.descriptors
            }
            let after = Footprint(coturn)
            print("\(count) relayed connections: \(before) before, \(after) after")
            #expect(isFreed)
            // One for each side, all given back.
            #expect(coturn.count("ALLOCATE processed, success") >= 2 * count)
            if count >= 200 { #expect(after.kilobytes <= before.kilobytes + 6_144) }
        }

        /// A pair that sees nothing but its relays, over each transport in turn, says something and closes.
        private static func call(_ coturn: Coturn, _ number: Int) async throws {
            let pair = try LoopbackPair {
                $0.iceTransportPolicy = .relay
                let transport = number % 2 == 0 ? "udp" : "tcp"
                $0.iceServers = [
                    .init(
                        url: "turn:127.0.0.1:\(coturn.port)?transport=\(transport)", username: "alice",
                        credential: "secret")
                ]
            }
            let incoming = LoopbackPair.incoming(pair.answerer)
            let channel = try await pair.offerer.createDataChannel("data")
            try await channel.send("hello \(number)")
            let far = try #require(await incoming.value)
            for await message in far.messages {
                #expect(message == .text("hello \(number)"))
                break
            }
            await pair.close()
        }
    }

    /// What this process and the server have.
    private struct Footprint: CustomStringConvertible {
        let kilobytes: Int
        let descriptors: Int
        let serverSockets: Int

        init(_ coturn: Coturn) {
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            kilobytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
            descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
            let folder = "/proc/\(coturn.processIdentifier)/fd"
            serverSockets =
                ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).count {
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))?.hasPrefix(
                        "socket:")
                        == true
                }
        }

        var description: String {
            "\(kilobytes) kB, \(descriptors) descriptors, \(serverSockets) sockets of the server"
        }
    }

    /// A TURN server that serves alice with the password “secret” on the loopback.
    private final class Coturn {
        let port: Int
        private let process = Process()
        private let folder: URL

        init() async throws {
            port = Int.random(in: 20_000..<30_000)
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("coturn-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            let path = folders.map { "\($0)/turnserver" }.first { FileManager.default.isExecutableFile(atPath: $0) }
            process.executableURL = URL(
                fileURLWithPath: try #require(
                    path, "coturn is not there: Scripts/setup test unpacks it for what Scripts/in-namespace runs"))
            process.arguments = [
                "-n", "--no-cli", "--no-tls", "--no-dtls", "--fingerprint", "--realm=test.example", "--lt-cred-mech",
                "--user=alice:secret", "--listening-port=\(port)", "--listening-ip=127.0.0.1", "--relay-ip=127.0.0.1",
                "--allow-loopback-peers", "--min-port=40000", "--max-port=49000", "--verbose", "--simple-log",
                "--log-file=\(folder.path)/log", "--pidfile=\(folder.path)/pid", "--userdb=\(folder.path)/db",
            ]
            process.currentDirectoryURL = folder
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            let isListening = await eventually(within: 10) { self.count("IPv4. UDP listener opened") > 0 }
            #expect(isListening, "coturn does not listen")
        }

        var processIdentifier: Int32 { process.processIdentifier }

        /// How often its log says so.
        func count(_ words: String) -> Int {
            let log = (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? ""
            return log.components(separatedBy: words).count - 1
        }

        func stop() {
            // It takes its time over a polite end.
            kill(process.processIdentifier, SIGKILL)
            try? FileManager.default.removeItem(at: folder)
        }
    }
#endif
