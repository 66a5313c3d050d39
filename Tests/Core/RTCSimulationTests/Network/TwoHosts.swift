import RTCSimulation
import RTCWire

/// Two hosts on the internet, one of which sends to the other over the link under test.
final class TwoHosts {
    var network: SimulatedNetwork
    let alice: SimulatedNetwork.HostID
    let bob: SimulatedNetwork.HostID
    let link: SimulatedNetwork.LinkID
    let aliceInterface: SimulatedNetwork.InterfaceID
    let bobInterface: SimulatedNetwork.InterfaceID
    let aliceAddress = TransportAddress(ip: IPAddress(192, 0, 2, 1), port: 1_000)
    let bobAddress = TransportAddress(ip: IPAddress(192, 0, 2, 2), port: 2_000)

    init(seed: UInt64 = 1, _ conditions: LinkConditions = .perfect) {
        network = SimulatedNetwork(seed: seed)
        alice = network.addHost()
        bob = network.addHost()
        aliceInterface = network.addInterface(to: alice, address: aliceAddress.ip)
        bobInterface = network.addInterface(to: bob, address: bobAddress.ip)
        link = aliceInterface.uplink
        network.setConditions(conditions, on: link)
    }

    func send(_ bytes: [UInt8], at time: Instant) {
        network.send(bytes, from: alice, source: aliceAddress, to: bobAddress, at: time)
    }

    /// Sends `count` datagrams of `size` bytes, numbered from 0 in their first four bytes, one each `interval`.
    func send(count: Int, size: Int = 1_172, interval: TimeDelta = .zero, from start: Instant = .zero) {
        for number in 0..<count {
            var bytes: [UInt8] = []
            bytes.append(bigEndian: UInt32(number))
            bytes += repeatElement(UInt8(truncatingIfNeeded: number), count: max(0, size - 4))
            send(bytes, at: start + interval * Int64(number))
        }
    }

    /// Everything that arrives, until nothing is under way.
    func drain() -> [SimulatedNetwork.Delivery] { network.drain() }
}

extension SimulatedNetwork {
    /// Everything that arrives, until nothing is under way.
    mutating func drain() -> [Delivery] {
        var deliveries: [Delivery] = []
        while let deadline = nextDeadline {
            while let delivery = pollDelivery(at: deadline) { deliveries.append(delivery) }
        }
        return deliveries
    }
}

extension SimulatedNetwork.Delivery {
    /// The number that ``TwoHosts/send(count:size:interval:from:)`` gave it.
    var number: Int { payload.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
    /// Time under way.
    var age: TimeDelta { time - sent }
}
