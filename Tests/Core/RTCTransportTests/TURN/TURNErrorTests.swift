import RTCTransport
import RTCWire
import Testing

@Suite("TURN: every error by its meaning")
struct TURNErrorTests {
    private func refusing(
        _ error: STUNError, _ method: STUNMethod = .allocate, transport: ICERelayProperties.Transport = .udp
    ) -> TURNTestBench {
        let bench = TURNTestBench(transport: transport) { $0.families = .ipv4 }
        bench.server.refusal = { $0 == method ? error : nil }
        return bench
    }

    @Test("401 twice: the password is wrong; the client says so at once, and waits for another")
    func unauthorized() {
        for transport in ICERelayProperties.Transport.everyCase {
            let bench = TURNTestBench(
                transport: transport, credentials: TURNCredentials(username: "alice", password: "wrong"))
            bench.start()
            #expect(bench.run(for: .milliseconds(100)) { bench.failures == [.unauthorized] })
            bench.run(for: .seconds(3_600))
            #expect(bench.count(.allocate) == 2)
            bench.client.setCredentials(TURNCredentials(username: "alice", password: "secret"), at: bench.now)
            #expect(bench.run(for: .seconds(1)) { bench.client.isAllocated })
        }
    }

    @Test("REST credentials expire: refreshing fails, and renewed ones make a new allocation from another address")
    func renewed() {
        let bench = TURNTestBench()
        bench.server.settings.users = ["100:alice": "first", "9000:alice": "second"]
        bench.client.setCredentials(TURNCredentials(username: "100:alice", password: "first"), at: bench.now)
        #expect(bench.allocate())
        bench.client.setCredentials(TURNCredentials(username: "9000:alice", password: "second"), at: bench.now)
        bench.run(for: .seconds(1_000))
        // As long as the server lets it live, it does.
        #expect(bench.allocations == 1 && bench.losses.isEmpty)
        bench.server.settings.users["100:alice"] = nil
        bench.server.staleNonce()
        #expect(bench.run(for: .seconds(600)) { bench.allocations == 2 })
        #expect(bench.losses == [.unauthorized])
        #expect(bench.connections == 1)
        #expect(bench.server.allocations.values.contains { $0.username == "9000:alice" })
    }

    @Test("403: the client rests for good")
    func forbidden() {
        let bench = refusing(.forbidden)
        bench.start()
        bench.run(for: .seconds(3_600))
        #expect(bench.failures == [.forbidden])
        #expect(bench.count(.allocate) == 2)
    }

    @Test("437 when allocating: three local addresses are tried, then two minutes are waited")
    func mismatch() {
        let bench = refusing(.allocationMismatch)
        bench.start()
        bench.run(for: .seconds(60))
        #expect(bench.connections == 2)
        #expect(bench.failures == [.allocationMismatch])
        bench.server.refusal = { _ in nil }
        #expect(bench.run(for: .seconds(65)) { bench.client.isAllocated })
    }

    @Test("The server was restarted: whatever is asked next says so, and there is a new allocation")
    func restart() {
        for method in [STUNMethod.refresh, .createPermission, .channelBind] {
            let bench = TURNTestBench()
            #expect(bench.allocate())
            bench.server.restart()
            switch method {
            case .refresh: bench.client.probe(at: bench.now)
            case .createPermission: bench.client.permit(IPAddress(192, 0, 2, 99), at: bench.now)
            default: bench.client.bind(turnAddress("192.0.2.98:9"), at: bench.now)
            }
            #expect(bench.run(for: .seconds(1)) { bench.allocations == 2 })
            #expect(bench.losses == [.allocationMismatch])
            // And again.
            bench.run(for: .seconds(300))
            bench.server.restart()
            bench.client.probe(at: bench.now)
            #expect(bench.run(for: .seconds(1)) { bench.allocations == 3 })
        }
    }

    @Test("A server that forgets without end is asked ever more seldom")
    func forgetful() {
        let bench = TURNTestBench()
        #expect(bench.allocate())
        for _ in 0..<1_000 {
            bench.server.restart()
            bench.client.probe(at: bench.now)
            bench.run(for: .milliseconds(500))
        }
        #expect(bench.allocations < 20)
    }

    @Test(
        "A server whose streams never last, or make no sense, is connected to ever more seldom",
        arguments: [ICERelayProperties.Transport.tcp, .tls], [false, true])
    func shortStreams(transport: ICERelayProperties.Transport, isGarbage: Bool) {
        let bench = TURNTestBench(transport: transport)
        bench.start()
        for _ in 0..<1_000 {
            bench.run(for: .milliseconds(500)) { bench.client.isAllocated }
            guard bench.client.isAllocated else { continue }
            if isGarbage { bench.receiveStream([0xFF, 0xFF, 0xFF, 0xFF]) } else { bench.breakConnection() }
        }
        #expect((2..<20).contains(bench.connections))
        // Once it behaves, it is as good as any other.
        #expect(bench.run(for: .seconds(61)) { bench.client.isAllocated })
        bench.run(for: .seconds(100))
        let connections = bench.connections
        bench.breakConnection()
        #expect(bench.run(for: .seconds(1)) { bench.client.isAllocated })
        #expect(bench.connections == connections + 1)
    }

    @Test("440, 442: what the server cannot do, it is not asked again")
    func unsupported() {
        for (error, reason) in [
            (STUNError.addressFamilyNotSupported, TURNFailure.Reason.addressFamily),
            (.unsupportedTransport, .unsupportedTransport), (.badRequest, .refused), (.unknownAttribute, .refused),
            (.wrongCredentials, .wrongCredentials),
        ] {
            let bench = refusing(error)
            bench.start()
            bench.run(for: .seconds(3_600))
            #expect(bench.failures == [reason])
            #expect(bench.count(.allocate) == 2)
        }
    }

    @Test("486, 508: a minute of patience")
    func capacity() {
        for (error, reason) in [
            (STUNError.allocationQuotaReached, TURNFailure.Reason.quotaReached),
            (.insufficientCapacity, .insufficientCapacity),
        ] {
            let bench = refusing(error)
            bench.start()
            bench.run(for: .seconds(59))
            #expect(bench.failures == [reason])
            bench.server.refusal = { _ in nil }
            #expect(bench.run(for: .seconds(2)) { bench.client.isAllocated })
        }
    }

    @Test("500: again in a while, and ever later")
    func serverError() {
        let bench = refusing(.serverError)
        bench.start()
        bench.run(for: .seconds(3_600))
        #expect((50...90).contains(bench.failures.count))
        bench.server.refusal = { _ in nil }
        #expect(bench.run(for: .seconds(61)) { bench.client.isAllocated })
    }

    @Test("441 to a refresh, even unprotected as coturn sends it: the allocation is given up")
    func wrongCredentials() {
        for transport in ICERelayProperties.Transport.everyCase {
            let bench = TURNTestBench(transport: transport)
            #expect(bench.allocate())
            bench.server.settings.protectsErrors = false
            bench.server.refusal = { $0 == .refresh ? .wrongCredentials : nil }
            #expect(bench.run(for: .seconds(700)) { !bench.losses.isEmpty })
            #expect(bench.losses == [.wrongCredentials])
            bench.run(for: .seconds(100))
            #expect(bench.failures == [.wrongCredentials])
        }
    }

    @Test("403 and 443 to a permission: this peer cannot be reached, others can")
    func refusedPeer() {
        for error in [STUNError.forbidden, .peerAddressFamilyMismatch] {
            let bench = TURNTestBench()
            #expect(bench.allocate())
            bench.server.refusal = { $0 == .createPermission ? error : nil }
            bench.send([[1, 2, 3]], to: turnAddress("192.0.2.99:9"))
            bench.run(for: .seconds(1))
            #expect(
                bench.events.contains { event in
                    if case .refused(IPAddress(192, 0, 2, 99), _) = event { true } else { false }
                })
            #expect(bench.client.isAllocated && bench.atPeer.isEmpty)
            bench.server.refusal = { _ in nil }
            bench.send([[1, 2, 3]], to: turnAddress("192.0.2.98:9"))
            bench.run(for: .seconds(1))
            #expect(bench.atPeer.map(\.to) == [turnAddress("192.0.2.98:9")])
        }
    }

    @Test("No channel to be had (403, 486, 508): data go by indications")
    func noChannel() {
        for error in [STUNError.forbidden, .allocationQuotaReached, .insufficientCapacity] {
            let bench = TURNTestBench()
            #expect(bench.allocate())
            bench.server.refusal = { $0 == .channelBind ? error : nil }
            for number in 0..<50 {
                bench.send([[UInt8(number)]], to: turnAddress("192.0.2.99:9"))
                bench.run(for: .milliseconds(100))
            }
            #expect(bench.atPeer.count == 50)
            #expect(bench.count(.channelBind) == 1)
        }
    }

    @Test("300: the client goes there, asks anew, and stays", arguments: ICERelayProperties.Transport.everyCase)
    func redirected(transport: ICERelayProperties.Transport) {
        let bench = TURNTestBench(transport: transport)
        let other = TURNTestServer()
        other.settings.realm = "other.local"
        bench.others[turnAddress("192.0.2.11:3478")] = other
        bench.server.alternate = turnAddress("192.0.2.11:3478")
        #expect(bench.allocate())
        #expect(bench.events.contains(.redirected(to: turnAddress("192.0.2.11:3478"), domain: nil)))
        bench.run(for: .seconds(3_600))
        #expect(other.allocations.count == 1 && bench.server.allocations.isEmpty)
        #expect(bench.count(.allocate) == 1)
    }

    @Test("300 with a name that can be no server's, for a certificate and for the log: not followed")
    func redirectedToNoName() {
        let names = [
            "", ".", "a\nb", "a..b", "a b", "\u{1B}[2J", "é.example", "192.0.2.11", "[2001:db8::1]", "2001:db8::1",
            String(repeating: "a", count: 64), String(repeating: "a.", count: 127) + "a",
        ]
        for name in names.map({ Array($0.utf8) }) + [[0xFF, 0xFE], [UInt8](repeating: 0x61, count: 300)] {
            let bench = TURNTestBench(transport: .tls)
            bench.others[turnAddress("192.0.2.11:3478")] = TURNTestServer()
            bench.server.alternate = turnAddress("192.0.2.11:3478")
            bench.server.alternateDomain = name
            bench.start()
            bench.run(for: .seconds(100))
            #expect(bench.failures == [.redirection], "\(name)")
        }
        for name in ["relay-2.example_a.org", "relay.example.org.", "localhost"] {
            let bench = TURNTestBench(transport: .tls)
            bench.others[turnAddress("192.0.2.11:3478")] = TURNTestServer()
            bench.server.alternate = turnAddress("192.0.2.11:3478")
            bench.server.alternateDomain = Array(name.utf8)
            #expect(bench.allocate())
            #expect(bench.events.contains(.redirected(to: turnAddress("192.0.2.11:3478"), domain: name)))
        }
    }

    @Test("Who has refused IPv6 once is asked for it again: after a loss, with other credentials, after a rest")
    func familiesAgain() {
        // A loss.
        let bench = TURNTestBench()
        var refuses = true
        bench.server.refusal = { method in
            defer { refuses = false }
            return refuses && method == .allocate ? .addressFamilyNotSupported : nil
        }
        #expect(bench.allocate())
        #expect(bench.client.relayed.map(\.ip.isIPv4) == [true])
        bench.server.restart()
        bench.client.probe(at: bench.now)
        #expect(bench.run(for: .seconds(1)) { bench.allocations == 2 })
        #expect(bench.client.relayed.map(\.ip.isIPv4) == [true, false])
        // Other credentials.
        let other = refusing(.addressFamilyNotSupported)
        let both = TURNTestBench()
        for bench in [other, both] {
            bench.server.refusal = { $0 == .allocate ? .addressFamilyNotSupported : nil }
            bench.server.settings.users["bob"] = "other"
            bench.start()
            bench.run(for: .seconds(10))
            #expect(bench.failures == [.addressFamily])
            bench.server.refusal = { _ in nil }
            bench.client.setCredentials(TURNCredentials(username: "bob", password: "other"), at: bench.now)
            #expect(bench.run(for: .seconds(1)) { bench.client.isAllocated })
        }
        // What the owner never wanted is not asked for either.
        #expect(other.client.relayed.count == 1 && both.client.relayed.count == 2)
        // A rest.
        let sent = TURNTestBench()
        var attempts = 0
        sent.server.refusal = { method in
            guard method == .allocate else { return nil }
            attempts += 1
            return attempts == 1 ? .badRequest : .serverError
        }
        sent.start()
        #expect(sent.run(for: .seconds(1)) { sent.failures == [.serverError] })
        sent.server.refusal = { _ in nil }
        #expect(sent.run(for: .seconds(20)) { sent.client.isAllocated })
        #expect(sent.client.relayed.count == 2)
    }

    @Test("300 in a circle, without end, to nowhere, to our own machine: given up for five minutes")
    func redirectedInCircles() {
        let circle = TURNTestBench()
        let other = TURNTestServer()
        other.alternate = turnAddress("192.0.2.10:3478")
        circle.others[turnAddress("192.0.2.11:3478")] = other
        circle.server.alternate = turnAddress("192.0.2.11:3478")
        circle.start()
        circle.run(for: .seconds(299))
        #expect(circle.failures == [.redirection])
        #expect(circle.count(.allocate) == 1 && other.requests.count == 1)
        circle.server.alternate = nil
        #expect(circle.run(for: .seconds(10)) { circle.client.isAllocated })

        let endless = TURNTestBench()
        for number in 11..<40 {
            let server = TURNTestServer()
            server.alternate = turnAddress("192.0.2.\(number + 1):3478")
            endless.others[turnAddress("192.0.2.\(number):3478")] = server
        }
        endless.server.alternate = turnAddress("192.0.2.11:3478")
        endless.start()
        endless.run(for: .seconds(100))
        #expect(endless.failures == [.redirection])
        #expect(endless.sent <= 5)

        for nowhere in ["127.0.0.1:3478", "0.0.0.0:3478", "224.0.0.1:3478", "192.0.2.11:0", "[2001:db8::1]:3478"] {
            let bench = TURNTestBench()
            bench.server.alternate = turnAddress(nowhere)
            bench.start()
            bench.run(for: .seconds(100))
            #expect(bench.failures == [.redirection])
            #expect(bench.sent == 1)
        }
    }

    @Test("The stream breaks: another is asked for, and a new allocation made; a dead server is tried ever more seldom")
    func brokenStream() {
        let bench = TURNTestBench(transport: .tls)
        #expect(bench.allocate())
        bench.breakConnection()
        #expect(bench.run(for: .seconds(1)) { bench.allocations == 2 })
        #expect(bench.losses == [.connectionLost])
        bench.run(for: .seconds(100))
        bench.isServerUp = false
        bench.breakConnection()
        bench.run(for: .seconds(3_600))
        #expect((50...80).contains(bench.failures.count))
        bench.isServerUp = true
        #expect(bench.run(for: .seconds(61)) { bench.client.isAllocated })
    }

    @Test("The server dies silently: found out by a refresh, and asked again until it is back")
    func deadServer() {
        let bench = TURNTestBench()
        #expect(bench.allocate())
        bench.isServerUp = false
        #expect(bench.run(for: .seconds(601)) { !bench.losses.isEmpty })
        #expect(bench.losses == [.noAnswer])
        bench.server.restart()
        bench.isServerUp = true
        #expect(bench.run(for: .seconds(120)) { bench.client.isAllocated })
    }
}
