import RTCTransport
import RTCWire
import Testing

@Suite("TURN: allocations")
struct TURNAllocationTests {
    @Test("Two round trips: a challenge, then addresses of both families and our own as the server sees it")
    func allocate() {
        let bench = TURNTestBench()
        #expect(bench.allocate())
        #expect(bench.now == .zero + .milliseconds(40))
        #expect(bench.server.requests == [.allocate, .allocate])
        #expect(bench.client.relayed == [turnAddress("203.0.113.1:50001"), turnAddress("[2001:db8::7]:50002")])
        #expect(bench.client.mapped == turnAddress("10.0.0.2:40000"))
        #expect(bench.events == [.allocated(relayed: bench.client.relayed, mapped: turnAddress("10.0.0.2:40000"))])
    }

    @Test(
        "SHA-256, USERHASH, the flags of the nonce counted from either side, MD5 under the new rules",
        arguments: [false, true], [[2, 1], [2], [1], [9, 2], []] as [[UInt16]])
    func algorithms(fromTheRight: Bool, algorithms: [UInt16]) {
        for hides in [false, true] {
            let bench = TURNTestBench()
            bench.server.settings.algorithms = algorithms
            bench.server.settings.hidesNames = hides
            bench.server.settings.countsFromTheRight = fromTheRight
            #expect(bench.allocate())
            // The same holds for what follows.
            bench.client.permit(IPAddress(192, 0, 2, 99), at: bench.now)
            bench.server.staleNonce()
            bench.run(for: .seconds(600))
            #expect(bench.server.allocations.count == 1)
        }
    }

    @Test("A server without passwords, and one that wants a password of a client that has none")
    func credentials() {
        let open = TURNTestBench(credentials: nil)
        open.server.settings.isOpen = true
        #expect(open.allocate())
        let closed = TURNTestBench(credentials: nil)
        #expect(!closed.allocate())
        #expect(closed.failures == [.credentialsMissing])
    }

    @Test("One family alone, when that is asked for or all that the server has", arguments: TURNFamilies.allCases)
    func families(families: TURNFamilies) {
        let bench = TURNTestBench { $0.families = families }
        #expect(bench.allocate())
        #expect(bench.client.relayed.map(\.ip.isIPv4) == [[true], [false], [true, false]][families.index])
        let only4 = TURNTestBench { $0.families = families }
        only4.server.settings.relay6 = nil
        #expect(only4.allocate() == (families != .ipv6))
        #expect(only4.failures == (families == .ipv6 ? [.addressFamily] : []))
    }

    @Test("A server that does not know the additional family is asked for IPv4 alone")
    func oldServer() {
        for error in [STUNError.badRequest, .unknownAttribute, .addressFamilyNotSupported] {
            let bench = TURNTestBench()
            var refusals = 1
            bench.server.refusal = { method in
                refusals -= 1
                return method == .allocate && refusals >= 0 ? error : nil
            }
            #expect(bench.allocate())
            #expect(bench.client.relayed.map(\.ip.isIPv4) == [true])
        }
    }

    @Test(
        "An allocation is kept for a day, and given back at the end", arguments: ICERelayProperties.Transport.everyCase)
    func kept(transport: ICERelayProperties.Transport) {
        let bench = TURNTestBench(transport: transport)
        #expect(bench.allocate())
        bench.run(for: .seconds(86_400))
        #expect(bench.allocations == 1 && bench.losses.isEmpty)
        // Every 510 of 600 seconds.
        #expect((160...180).contains(bench.count(.refresh)))
        bench.client.close(at: bench.now)
        bench.run(for: .seconds(1))
        #expect(bench.client.isClosed && bench.server.allocations.isEmpty)
        #expect(bench.client.nextDeadline == nil)
    }

    @Test("The lifetime is the server's: twenty seconds, an hour", arguments: [20, 120, 3_600] as [UInt32])
    func lifetimes(lifetime: UInt32) {
        let bench = TURNTestBench()
        bench.server.settings.lifetime = lifetime
        #expect(bench.allocate())
        bench.run(for: .seconds(7_200))
        #expect(bench.server.allocations.count == 1 && bench.losses.isEmpty)
    }

    @Test("Half of the packets are lost: an allocation comes about, and lives for an hour", arguments: 1...20)
    func loss(seed: Int) {
        let bench = TURNTestBench(seed: UInt64(seed))
        bench.loss = 0.5
        bench.start()
        #expect(bench.run(for: .seconds(300)) { bench.client.isAllocated })
        bench.loss = 0.3
        bench.run(for: .seconds(3_600))
        #expect(bench.client.isAllocated)
        #expect(bench.server.allocations.count == 1)
    }

    @Test("A request over UDP leaves at 0, 0.5, 1.5, 3.5, 7.5, 15.5 and 31.5 s; over a stream once")
    func retransmission() {
        let bench = TURNTestBench()
        bench.isServerUp = false
        bench.start()
        var times: [Int64] = []
        var seen = 0
        bench.run(for: .seconds(39)) {
            if bench.sent > seen { times.append(bench.now.nanoseconds / 1_000_000) }
            seen = bench.sent
            return false
        }
        #expect(times == [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500])
        #expect(bench.failures.isEmpty)
        bench.run(for: .seconds(1))
        #expect(bench.failures == [.noAnswer])
        // It tries again by itself.
        bench.isServerUp = true
        #expect(bench.run(for: .seconds(20)) { bench.client.isAllocated })

        let stream = TURNTestBench(transport: .tcp)
        stream.server.forge = { _ in nil }
        stream.start()
        stream.run(for: .seconds(39))
        #expect(stream.count(.allocate) == 1)
        stream.run(for: .seconds(1))
        #expect(stream.failures == [.noAnswer])
    }

    @Test("A nonce that is too old is replaced, for every request")
    func staleNonce() {
        let bench = TURNTestBench()
        #expect(bench.allocate())
        bench.server.staleNonce()
        bench.client.permit(IPAddress(192, 0, 2, 99), at: bench.now)
        bench.client.bind(turnAddress("192.0.2.98:9"), at: bench.now)
        bench.run(for: .seconds(1))
        #expect(bench.events.contains(.bound(peer: turnAddress("192.0.2.98:9"))))
        #expect(bench.count(.createPermission) == 2)
        bench.server.staleNonce()
        bench.client.close(at: bench.now)
        bench.run(for: .seconds(1))
        #expect(bench.server.allocations.isEmpty)
    }

    @Test("The realm changes: the key is made anew")
    func realm() {
        let bench = TURNTestBench()
        #expect(bench.allocate())
        bench.server.settings.realm = "elsewhere.local"
        bench.server.staleNonce()
        bench.run(for: .seconds(3_600))
        #expect(bench.losses.isEmpty && bench.server.allocations.count == 1)
    }
}

extension TURNFamilies {
    var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension ICERelayProperties.Transport {
    static var everyCase: [ICERelayProperties.Transport] { [.udp, .tcp, .tls] }
}
