import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("NAT behaviour discovery (RFC 5780)")
struct NATDiscoveryTests {
    static let dependences: [(NATBehavior.Dependence, NATFindings.Mapping, NATFindings.Filtering)] = [
        (.endpointIndependent, .endpointIndependent, .endpointIndependent),
        (.addressDependent, .addressDependent, .addressDependent),
        (.addressAndPortDependent, .addressAndPortDependent, .addressAndPortDependent),
    ]

    @Test("Every combination of mapping and filtering is recognised, with one server", arguments: 0..<9)
    func kinds(number: Int) throws {
        let (mapping, filtering) = (Self.dependences[number / 3], Self.dependences[number % 3])
        var laboratory = NATLaboratory(NATBehavior(mapping: mapping.0, filtering: filtering.0))
        let server = laboratory.addServer(.complete)
        let findings = try laboratory.discover([server])
        #expect(findings.mapping == mapping.1)
        #expect(findings.filtering == filtering.2)
        #expect(findings.mapped.map(\.server) == [server])
        #expect(findings.mapped.first?.address.ip == IPAddress(203, 0, 113, 1))
        #expect(laboratory.now - .zero < .seconds(4))
    }

    @Test(
        "The names that people know",
        arguments: [
            (NATBehavior.fullCone, NATFindings.Kind.fullCone), (.addressRestrictedCone, .addressRestricted),
            (.portRestrictedCone, .portRestricted), (.symmetric, .symmetric),
        ])
    func names(nat: NATBehavior, kind: NATFindings.Kind) throws {
        var laboratory = NATLaboratory(nat)
        let server = laboratory.addServer(.complete)
        let findings = try laboratory.discover([server])
        #expect(findings.kind == kind)
        #expect(findings.preservesPort == nat.preservesPorts)
    }

    @Test("A NAT that hairpins is told from one that does not", arguments: [true, false])
    func hairpinning(hairpins: Bool) throws {
        var nat = NATBehavior.portRestrictedCone
        nat.hairpins = hairpins
        var laboratory = NATLaboratory(nat)
        let server = laboratory.addServer(.complete)
        var findings = try laboratory.discover([server])
        #expect(findings.hairpins == hairpins)
        // A server without a second address is enough for this.
        laboratory = NATLaboratory(nat)
        let plain = laboratory.addServer(.plain)
        findings = try laboratory.discover([plain])
        #expect(findings.hairpins == hairpins)
    }

    @Test("Without a NAT, and behind a firewall alone")
    func untranslated() throws {
        var laboratory = NATLaboratory(nil)
        var findings = try laboratory.discover([laboratory.addServer(.complete)])
        #expect(findings.mapping == .untranslated && findings.filtering == .endpointIndependent)
        #expect(findings.kind == .none && findings.hairpins == nil && findings.preservesPort == nil)
        laboratory = NATLaboratory(nil, firewall: .stateful)
        findings = try laboratory.discover([laboratory.addServer(.complete)])
        #expect(findings.mapping == .untranslated && findings.filtering == .addressAndPortDependent)
        #expect(findings.kind == .firewall)
    }

    @Test("Without UDP, every server is silent, and it is over in one time-out")
    func blocked() throws {
        var laboratory = NATLaboratory(.portRestrictedCone, firewall: .blocksUDP)
        let servers = [laboratory.addServer(.complete), laboratory.addServer(.plain)]
        let findings = try laboratory.discover(servers)
        #expect(findings.kind == .blocked && findings.hasNoResponse && findings.silent == servers)
        #expect(laboratory.events.dropLast() == [.silent(server: servers[0]), .silent(server: servers[1])])
        #expect(laboratory.now == .zero + .milliseconds(2_750))
        #expect(laboratory.requests == 8)
    }

    @Test("Two servers without a second address tell a mapping that depends on whom one sends to")
    func twoServers() throws {
        var laboratory = NATLaboratory(.symmetric)
        var findings = try laboratory.discover([laboratory.addServer(.plain), laboratory.addServer(.plain)])
        #expect(findings.mapping == .dependent && findings.filtering == .unknown && findings.kind == .symmetric)
        laboratory = NATLaboratory(.fullCone)
        findings = try laboratory.discover([laboratory.addServer(.plain), laboratory.addServer(.plain)])
        #expect(findings.mapping == .endpointIndependent && findings.filtering == .unknown && findings.kind == .cone)
    }

    @Test("One server without a second address tells that there is a NAT, and no more")
    func oneServer() throws {
        var laboratory = NATLaboratory(.symmetric)
        let findings = try laboratory.discover([laboratory.addServer(.plain)])
        #expect(findings.mapping == .unknown && findings.kind == .unknown && !findings.hasNoResponse)
    }

    @Test("A server that cannot answer from elsewhere shows nothing of the filter, and does not mislead")
    func noChanges() throws {
        for manner in [NATLaboratory.Manner.refusesChanges, .ignoresChanges] {
            var laboratory = NATLaboratory(.fullCone)
            let findings = try laboratory.discover([laboratory.addServer(manner)])
            #expect(findings.mapping == .endpointIndependent && findings.filtering == .unknown)
        }
    }

    @Test("Dead and refusing servers delay the end and change nothing")
    func deadServers() throws {
        var laboratory = NATLaboratory(.portRestrictedCone)
        let servers = [
            laboratory.addServer(.silent), laboratory.addServer(.refuses), laboratory.addServer(.complete),
        ]
        let findings = try laboratory.discover(servers)
        #expect(findings.kind == .portRestricted && findings.silent == [servers[0]])
        #expect(findings.mapped.map(\.server) == [servers[2]])
        #expect(laboratory.events.contains(.refused(server: servers[1], .serverError)))
    }

    @Test("The answer's time is told")
    func times() throws {
        var laboratory = NATLaboratory(.fullCone)
        let server = laboratory.addServer(.complete)
        _ = try laboratory.discover([server])
        guard case .answered(server, let mapped, let time) = laboratory.events.first else {
            return #expect(Bool(false))
        }
        #expect(mapped.ip == IPAddress(203, 0, 113, 1) && time == .milliseconds(10))
    }

    @Test(
        "A lying server cannot send us anywhere",
        arguments: [
            "0.0.0.0:9", "127.0.0.1:9", "192.168.1.1:9", "10.0.0.1:9", "169.254.1.1:9", "224.0.0.1:9",
            "255.255.255.255:9", "198.51.100.66:3478", "198.51.100.66:0", "192.0.2.10:9", "[2001:db8::1]:9",
        ])
    func lies(address: String) throws {
        let other = try #require(TransportAddress(address))
        var laboratory = NATLaboratory(.fullCone)
        let server = laboratory.addServer(.lying(other))
        let findings = try laboratory.discover([server])
        #expect(laboratory.contacted.allSatisfy { $0.ip == server.ip || $0.ip == IPAddress(203, 0, 113, 1) })
        #expect(findings.mapping == .unknown && findings.filtering == .unknown)
        var second = NATLaboratory(.fullCone)
        let liar = second.addServer(.lyingOfUs(other))
        _ = try second.discover([liar])
        let isPlausible = ["198.51.100.66:3478", "192.0.2.10:9"].contains(address)
        #expect(second.contacted.allSatisfy { $0 == liar || isPlausible && $0 == other })
    }

    @Test("With a quarter of all datagrams lost, the answer is right all the same in most runs, and always in time")
    func loss() throws {
        var right = 0
        for seed in 0..<200 {
            var laboratory = NATLaboratory(.addressRestrictedCone, seed: UInt64(seed))
            var conditions = LinkConditions(delay: .milliseconds(30))
            conditions.loss = .random(0.25)
            laboratory.network.setConditions(conditions, on: laboratory.interface.uplink)
            let findings = try laboratory.discover([laboratory.addServer(.complete)])
            if findings.kind == .addressRestricted { right += 1 }
            #expect(laboratory.now - .zero <= .seconds(9))
        }
        #expect(right >= 180, "\(right) of 200")
    }

    @Test("Garbage, foreign answers and truncated ones are passed over")
    func garbage() {
        let random = SeededRandom(seed: 3)
        let address = TransportAddress(ip: IPAddress(192, 168, 1, 2), port: 1)
        let server = TransportAddress(ip: IPAddress(192, 0, 2, 10), port: 3478)
        var discovery = NATDiscovery(
            servers: [server], first: .init(id: SocketID(1), address: address),
            second: .init(id: SocketID(2), address: address), random: random, at: .zero)
        var request: [UInt8] = []
        withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 8) { memory in
            var batch = TransmitBatch(memory)
            #expect(discovery.pollTransmit(into: &batch, at: .zero))
            request = Array(memory[0..<batch.byteCount])
        }
        for round in 0..<5_000 {
            var bytes = round % 2 == 0 ? request : random.bytes(Int(random.next(below: 80)))
            if round % 2 == 0 {
                bytes[Int(random.next(below: UInt64(bytes.count)))] ^= UInt8(1 + random.next(below: 255))
                bytes.removeLast(Int(random.next(below: 4)))
            }
            bytes.withUnsafeBytes {
                discovery.receive(
                    $0.bytes, on: TransportPath(socket: SocketID(UInt32(round % 3)), remote: server), at: .zero)
            }
        }
        #expect(discovery.pollEvent() == nil)
        #expect(discovery.nextDeadline == .zero + .milliseconds(250))
    }
}
