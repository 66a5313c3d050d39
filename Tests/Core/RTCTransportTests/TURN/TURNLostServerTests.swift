import RTCTransport
import RTCWire
import Testing

/// What has gone wrong at the server or on the way to it, and is to cost no call.
@Suite("TURN: lost servers and connections")
struct TURNLostServerTests {
    private let peer = turnAddress("192.0.2.99:9")

    @Test("A stream that dies without a word: found out by a probe within 5 s, and by a refresh in its time")
    func silentStream() {
        for isProbed in [true, false] {
            for transport in [ICERelayProperties.Transport.tcp, .tls] {
                let bench = TURNTestBench(transport: transport)
                #expect(bench.allocate())
                bench.run(for: .seconds(100))
                bench.isCut = true
                if isProbed { bench.client.probe(at: bench.now) }
                #expect(bench.run(for: .seconds(isProbed ? 6 : 500)) { bench.allocations == 2 })
                #expect(bench.losses == [.connectionLost])
                #expect(bench.events.contains(.dropsConnection))
            }
        }
    }

    @Test("A probe hurries a refresh that was on its way; a request for a permission finds a dead stream too")
    func hurried() {
        let bench = TURNTestBench(transport: .tls)
        #expect(bench.allocate())
        bench.run(for: .seconds(509))
        bench.isCut = true
        bench.run(for: .seconds(10))
        bench.client.probe(at: bench.now)
        #expect(bench.run(for: .seconds(6)) { bench.allocations == 2 })

        let other = TURNTestBench(transport: .tls)
        #expect(other.allocate())
        other.isCut = true
        other.client.permit(peer.ip, at: other.now)
        #expect(other.run(for: .seconds(41)) { other.allocations == 2 })
    }

    @Test("An allocation that waits for a peer outlives a NAT that forgets after 30 s; the server gives no second one")
    func waiting() {
        let bench = TURNTestBench { $0.families = .ipv4 }
        bench.mappingLifetime = .seconds(30)
        bench.server.settings.quota = 1
        #expect(bench.allocate())
        let relayed = bench.client.relayed
        bench.run(for: .seconds(90))
        #expect((3...5).contains(bench.server.indications))
        bench.client.permit(peer.ip, at: bench.now)
        bench.run(for: .milliseconds(30))
        bench.sendFromPeer([7], from: peer, to: relayed[0])
        bench.run(for: .milliseconds(30))
        #expect(bench.received.map(\.bytes) == [[7]])
        bench.run(for: .seconds(3_600))
        #expect(bench.allocations == 1 && bench.losses.isEmpty && bench.client.relayed == relayed)
        #expect(bench.longestSilence <= .seconds(25))
    }

    @Test("Who sends needs no keepalive, and a stream none at all")
    func noKeepAlive() {
        let bench = TURNTestBench()
        #expect(bench.allocate())
        for _ in 0..<10 {
            bench.send([[1]], to: peer)
            bench.run(for: .seconds(1))
        }
        let indications = bench.server.indications
        for _ in 0..<200 {
            bench.send([[1]], to: peer)
            bench.run(for: .seconds(1))
        }
        #expect(bench.server.indications == indications)
        for transport in [ICERelayProperties.Transport.tcp, .tls] {
            let stream = TURNTestBench(transport: transport)
            #expect(stream.allocate())
            stream.run(for: .seconds(400))
            #expect(stream.server.indications == 0)
        }
    }

    @Test("A permission or channel that the server does not renew for a while goes on to its end, and data with it")
    func refusedRenewal() {
        for error in [STUNError.serverError, .insufficientCapacity, .forbidden, .badRequest] {
            for method in [STUNMethod.createPermission, .channelBind] {
                let bench = TURNTestBench { $0.families = .ipv4 }
                bench.server.settings.lifetime = 3_600
                #expect(bench.allocate())
                let usesChannel = method == .channelBind
                var sent = 0
                func talk(seconds: Int) {
                    for _ in 0..<seconds {
                        bench.send([[1, 2]], to: peer, isData: usesChannel)
                        bench.sendFromPeer([3, 4], from: peer, to: bench.client.relayed[0])
                        sent += 1
                        bench.run(for: .seconds(1))
                    }
                }
                bench.client.permit(peer.ip, at: bench.now)
                bench.run(for: .milliseconds(500))
                talk(seconds: usesChannel ? 470 : 230)
                bench.server.refusal = { $0 == method ? error : nil }
                talk(seconds: usesChannel ? 120 : 60)
                #expect(bench.atPeer.count == sent && bench.received.count == sent)
                bench.server.refusal = { _ in nil }
                talk(seconds: 200)
                #expect(bench.atPeer.count >= sent - 1 && bench.received.count >= sent - 1)
                #expect(bench.losses.isEmpty)
            }
        }
    }

    @Test(
        "A channel whose renewals were heard and their answers lost: what comes on it is taken, and it is bound again")
    func lostAnswers() {
        let bench = TURNTestBench { $0.families = .ipv4 }
        bench.server.settings.lifetime = 3_600
        #expect(bench.allocate())
        bench.send([[1]], to: peer)
        bench.run(for: .seconds(1))
        bench.send([[1]], to: peer)
        bench.run(for: .seconds(470))
        bench.server.forge = { bytes in bytes.starts(with: [0x01, 0x09]) ? nil : bytes }
        for _ in 0..<150 {
            bench.send([[1]], to: peer)
            bench.run(for: .seconds(1))
        }
        let received = bench.received.count
        bench.sendFromPeer([7], from: peer, to: bench.client.relayed[0])
        bench.run(for: .seconds(1))
        #expect(bench.received.count == received + 1)
        bench.server.forge = { $0 }
        for _ in 0..<60 {
            bench.send([[1]], to: peer)
            bench.run(for: .seconds(1))
        }
        let messages = bench.server.channelMessages
        bench.send([[1]], to: peer)
        bench.run(for: .seconds(1))
        #expect(bench.server.channelMessages == messages + 1)
        #expect(bench.server.allocations.values.first?.channels.count == 1)
    }

    @Test(
        "The server that 300 named dies, or is restarted: back to the first",
        arguments: ICERelayProperties.Transport.everyCase)
    func backToFirst(transport: ICERelayProperties.Transport) {
        for isRestarted in [true, false] {
            let bench = TURNTestBench(transport: transport)
            let other = TURNTestServer()
            other.settings.realm = "other.local"
            bench.others[turnAddress("192.0.2.11:3478")] = other
            bench.server.alternate = turnAddress("192.0.2.11:3478")
            #expect(bench.allocate())
            bench.server.alternate = nil
            bench.run(for: .seconds(100))
            if isRestarted {
                other.restart()
                bench.client.probe(at: bench.now)
            } else {
                bench.others = [:]
            }
            #expect(bench.run(for: .seconds(700)) { bench.allocations == 2 })
            #expect(bench.client.server == turnAddress("192.0.2.10:3478"))
            #expect(bench.events.contains(.redirected(to: turnAddress("192.0.2.10:3478"), domain: nil)))
            #expect(bench.server.allocations.count == 1)
        }
    }

    @Test("300 to a private network from a server outside leads nowhere; an unprotected one late is followed by a rest")
    func redirection() {
        let inward = TURNTestBench()
        inward.server.alternate = turnAddress("10.0.0.9:3478")
        inward.start()
        inward.run(for: .seconds(100))
        #expect(inward.failures == [.redirection])
        #expect(inward.sent == 1)

        let late = TURNTestBench { $0.families = .ipv4 }
        late.server.settings.protectsErrors = false
        late.server.refusal = { $0 == .allocate ? .tryAlternate : nil }
        late.start()
        late.run(for: .seconds(100))
        #expect(late.failures == [.redirection])
        late.server.refusal = { _ in nil }
        #expect(late.run(for: .seconds(250)) { late.client.isAllocated })
    }

    @Test("A stream to a server that refuses us is not kept")
    func unusedStream() {
        let bench = TURNTestBench(
            transport: .tls, credentials: TURNCredentials(username: "alice", password: "wrong"))
        bench.start()
        bench.run(for: .seconds(10))
        #expect(bench.events.suffix(2) == [.failed(TURNFailure(.unauthorized, code: 401)), .dropsConnection])
    }

    @Test("With other addresses, a server that was out of reach is asked at once; one that refused us is not")
    func networkChanged() {
        let bench = TURNTestBench(transport: .tls)
        bench.isServerUp = false
        bench.start()
        bench.run(for: .seconds(300))
        bench.isServerUp = true
        bench.client.networkChanged(at: bench.now)
        #expect(bench.run(for: .milliseconds(500)) { bench.client.isAllocated })

        let refused = TURNTestBench(credentials: TURNCredentials(username: "alice", password: "wrong"))
        refused.start()
        refused.run(for: .seconds(10))
        let sent = refused.sent
        refused.client.networkChanged(at: refused.now)
        refused.run(for: .seconds(10))
        #expect(refused.sent == sent)
    }

    // MARK: Ending

    @Test("What was asked for and not answered is given back too", arguments: ICERelayProperties.Transport.everyCase)
    func closedEarly(transport: ICERelayProperties.Transport) {
        let bench = TURNTestBench(transport: transport)
        bench.start()
        #expect(bench.run(for: .seconds(5)) { bench.server.allocations.count == 1 })
        #expect(!bench.client.isAllocated)
        bench.client.close(at: bench.now)
        bench.run(for: .seconds(1))
        #expect(bench.server.allocations.isEmpty && bench.client.isClosed)
    }

    @Test("An allocation whose answers were all lost, and that was given up, is given back too")
    func closedLate() {
        let bench = TURNTestBench()
        bench.server.forge = { bench.server.allocations.isEmpty ? $0 : nil }
        bench.start()
        #expect(bench.run(for: .seconds(60)) { bench.failures == [.noAnswer] })
        #expect(bench.server.allocations.count == 1)
        bench.server.forge = { $0 }
        bench.client.close(at: bench.now)
        bench.run(for: .seconds(1))
        #expect(bench.server.allocations.isEmpty && bench.client.isClosed)
    }

    @Test("The nonce is stale when the allocation is given back; a server that is gone is waited for 3.5 s")
    func release() {
        let bench = TURNTestBench()
        #expect(bench.allocate())
        bench.server.staleNonce()
        bench.client.close(at: bench.now)
        bench.run(for: .milliseconds(100))
        #expect(bench.server.allocations.isEmpty && bench.client.isClosed)

        let gone = TURNTestBench()
        #expect(gone.allocate())
        gone.isServerUp = false
        gone.client.close(at: gone.now)
        gone.run(for: .milliseconds(3_400))
        #expect(!gone.client.isClosed)
        gone.run(for: .milliseconds(200))
        #expect(gone.client.isClosed && gone.client.nextDeadline == nil)
    }

    @Test("A server that answers the good-bye with one challenge after the other, each late: 3.5 s all the same")
    func slowRelease() {
        for transport in [ICERelayProperties.Transport.udp, .tls] {
            let bench = TURNTestBench(transport: transport)
            #expect(bench.allocate())
            bench.delay = .milliseconds(1_600)
            bench.server.forge = { answer in
                bench.server.staleNonce()
                return answer
            }
            bench.server.staleNonce()
            bench.client.close(at: bench.now)
            bench.run(for: .milliseconds(3_600))
            #expect(bench.client.isClosed && bench.client.nextDeadline == nil)
        }
    }

    @Test("Renewed credentials do not forget that the server knows SHA-256")
    func bidDown() {
        let bench = TURNTestBench()
        bench.server.settings.algorithms = [2, 1]
        bench.server.settings.users = ["alice": "secret", "bob": "other"]
        #expect(bench.allocate())
        bench.client.setCredentials(TURNCredentials(username: "bob", password: "other"), at: bench.now)
        bench.server.settings.algorithms = []
        bench.server.restart()
        bench.client.probe(at: bench.now)
        bench.run(for: .seconds(60))
        #expect(bench.allocations == 1)
        #expect(bench.failures.allSatisfy { $0 == .bidDown || $0 == .allocationMismatch || $0 == .noAnswer })
    }
}
