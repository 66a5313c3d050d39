import AllocationCounting
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("A simulation's allocations", .serialized)
struct SimulationAllocationTests {
    /// What is allocated on this thread while `body` runs, or `nil` where that cannot be counted.
    private func allocations(_ body: () -> Void) -> Int? {
        let before = duet_allocations_of_this_thread()
        body()
        return before < 0 ? nil : duet_allocations_of_this_thread() - before
    }

    @Test("A datagram that crosses a network with queues and a NAT allocates nothing")
    func network() {
        var network = SimulatedNetwork(seed: 1)
        let home = network.addGateway(address: IPAddress(203, 0, 113, 1), nat: .symmetric)
        let (alice, bob) = (network.addHost(), network.addHost())
        let source = TransportAddress(ip: IPAddress(192, 168, 1, 2), port: 1)
        let destination = TransportAddress(ip: IPAddress(192, 0, 2, 1), port: 2)
        network.addInterface(to: alice, address: source.ip, behind: home)
        network.addInterface(to: bob, address: destination.ip)
        var conditions = LinkConditions(
            bandwidth: .megabits(10), delay: .milliseconds(20), jitter: .uniform(upTo: .milliseconds(3)),
            loss: .bursts(rate: 0.02, meanLength: 3))
        conditions.duplication = 0.01
        network.setConditions(conditions, on: home.uplink)
        let bytes = [UInt8](repeating: 7, count: 1_200)
        var number: Int64 = 0
        func send(_ count: Int64) {
            for _ in 0..<count {
                let now = Instant.zero + .milliseconds(number)
                number += 1
                network.send(bytes, from: alice, source: source, to: destination, at: now)
                while let delivery = network.pollDelivery(at: now) { network.recycle(delivery) }
            }
        }
        // Queues and pools grow to their size first.
        send(20_000)
        let count = allocations { send(10_000) }
        // Luck may bring a longer queue than ever before, which grows a pool by a slot.
        #expect((count ?? 0) < 20, "\(count ?? 0) allocations for 10,000 datagrams")
    }

    @Test("A record of the stand-in allocates nothing")
    func record() throws {
        let pair = try SessionPair()
        pair.run()
        let plaintext = [UInt8](repeating: 7, count: 1_150)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_640, alignment: 16)
        defer {
            memory.deallocate()
            buffer.deallocate()
        }
        var read = 0
        func exchange(_ count: Int) {
            for _ in 0..<count {
                var batch = TransmitBatch(memory)
                _ = plaintext.withUnsafeBytes { pair.client.seal($0, into: &batch) }
                let datagram = UnsafeRawBufferPointer(rebasing: memory[0..<batch.byteCount])
                pair.server.receive(RawSpan(_unsafeBytes: datagram), at: .zero)
                while pair.server.readApplicationData(into: buffer) != nil { read += 1 }
            }
        }
        exchange(100)
        let count = allocations { exchange(1_000) }
        #expect(read == 1_100)
        #expect((count ?? 0) == 0, "\(count ?? 0) allocations for 1,000 records")
    }
}
