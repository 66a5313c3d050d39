import Testing

@testable import RTCSignaling

/// Random users over both exchanges: one in memory, and one on nodes that share a log. Whatever happens to sockets, nodes and the log,
/// no session is lost, and nothing is lost, doubled or out of order.
@Suite("The model of the exchange")
struct ExchangeModelTests {
    private func run(_ world: VirtualCluster, seconds: Int) -> [String] {
        world.cutSockets(times: seconds / 2, within: .seconds(seconds))
        world.troubleNodes(within: .seconds(seconds))
        world.beBusy(for: .seconds(seconds))
        world.settle()
        return world.check()
    }

    @Test("In memory", arguments: 0..<20 as Range<UInt64>)
    func inMemory(seed: UInt64) {
        let world = VirtualCluster(seed: seed, nodes: 0, callers: 6)
        #expect(run(world, seconds: 40).isEmpty)
        #expect(world.callCount > 5 && world.signalCount > 20)
    }

    @Test("On three nodes, with snapshots that are taken often", arguments: 0..<60 as Range<UInt64>)
    func threeNodes(seed: UInt64) {
        var options = ExchangeReplica.Options()
        options.snapshotInterval = 40
        let world = VirtualCluster(seed: seed, nodes: 3, callers: 6, options: options)
        let faults = run(world, seconds: 40)
        #expect(faults.isEmpty, "seed \(seed)")
        #expect(world.callCount > 3 && world.signalCount > 20)
        #expect(world.log?.snapshots ?? 0 > 2)
    }

    @Test("On two nodes with the usual snapshots", arguments: 100..<120 as Range<UInt64>)
    func twoNodes(seed: UInt64) {
        let world = VirtualCluster(seed: seed, nodes: 2, callers: 5)
        #expect(run(world, seconds: 40).isEmpty, "seed \(seed)")
    }

    @Test("A node that begins with a snapshot wakes phones", arguments: 200..<206 as Range<UInt64>)
    func sleepingPhones(seed: UInt64) {
        var options = ExchangeReplica.Options()
        options.snapshotInterval = 40
        let world = VirtualCluster(seed: seed, nodes: 3, callers: 4, phones: 3, options: options)
        let registered = world.log?.end ?? 0
        #expect(run(world, seconds: 20).isEmpty, "seed \(seed)")
        // Nobody can read any more what the phones have said.
        #expect(world.log?.trimmed ?? 0 >= registered)
        for node in world.nodes {
            for other in world.nodes { other.kill() }
            node.start()
            world.time.run(for: .seconds(15))
            for phone in world.phones.indices {
                #expect(world.wakes(phone, from: node), "seed \(seed), phone \(phone)")
            }
        }
        #expect(world.faults.isEmpty)
    }

    @Test(
        "The log is gone for half a minute: nobody's session ends, new calls are refused, and everything goes on afterwards"
    )
    func logGone() {
        let world = VirtualCluster(seed: 7, nodes: 3, callers: 6)
        world.beBusy(for: .seconds(10))
        for node in world.nodes { node.cutOff(for: .seconds(30)) }
        world.beBusy(for: .seconds(30))
        let before = world.nodes.compactMap { $0.replica?.state.time }.max() ?? .zero
        world.time.run(for: .seconds(2))
        let after = world.nodes.compactMap { $0.replica?.state.time }.max() ?? .zero
        // The time without the log does not count.
        #expect(after - before < .seconds(9))
        world.beBusy(for: .seconds(10))
        world.settle()
        #expect(world.check().isEmpty)
    }
}
