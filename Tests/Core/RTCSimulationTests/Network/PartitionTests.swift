import RTCSimulation
import RTCWire
import Testing

@Suite("A network that breaks")
struct PartitionTests {
    @Test("passes nothing while a link is down, and everything after")
    func downAndUp() {
        let hosts = TwoHosts(LinkConditions(delay: .milliseconds(10)))
        hosts.send(count: 1)
        hosts.network.setUp(false, hosts.link)
        hosts.send(count: 5, from: .zero + .milliseconds(1))
        hosts.network.setUp(true, hosts.link)
        hosts.send([0, 0, 0, 9], at: .zero + .milliseconds(2))
        // What was under way has left the link already.
        #expect(hosts.drain().map(\.number) == [0, 9])
        #expect(hosts.network.statistics(of: hosts.link).refused == 5)
        #expect(hosts.network.conditions(of: hosts.link).delay == .milliseconds(10))
    }

    @Test("loses the queue of a link that goes down")
    func queue() {
        let hosts = TwoHosts(LinkConditions(bandwidth: .megabits(1), queue: .unlimited))
        hosts.send(count: 10)
        hosts.network.setUp(false, hosts.link)
        hosts.network.setUp(true, hosts.link)
        #expect(hosts.network.datagramsUnderWay == 0)
        hosts.send([0, 0, 0, 42], at: .zero + .seconds(1))
        #expect(hosts.drain().map(\.number) == [42])
        #expect(hosts.network.statistics(of: hosts.link).refused == 10)
    }

    @Test("is broken in one direction only, if that is what was asked for")
    func oneWay() {
        let hosts = TwoHosts(.down)
        hosts.send(count: 1)
        hosts.network.send([1], from: hosts.bob, source: hosts.bobAddress, to: hosts.aliceAddress, at: .zero)
        #expect(hosts.drain().map(\.host) == [hosts.alice])
    }

    @Test("can separate two addresses and leave all others together")
    func blocked() {
        let hosts = TwoHosts()
        let second = IPAddress(198, 51, 100, 1)
        hosts.network.addInterface(to: hosts.alice, address: second)
        hosts.network.setBlocked(true, between: hosts.aliceAddress.ip, and: hosts.bobAddress.ip)
        hosts.send(count: 1)
        hosts.network.send([1], from: hosts.bob, source: hosts.bobAddress, to: hosts.aliceAddress, at: .zero)
        let source = TransportAddress(ip: second, port: 1)
        hosts.network.send([2], from: hosts.alice, source: source, to: hosts.bobAddress, at: .zero)
        #expect(hosts.drain().map(\.payload) == [[2]])
        #expect(hosts.network.statistics.blocked == 2)
        hosts.network.setBlocked(false, between: hosts.bobAddress.ip, and: hosts.aliceAddress.ip)
        hosts.send(count: 1)
        #expect(hosts.drain().count == 1)
    }

    @Test("moves a host to another address in mid-flight")
    func addressChange() {
        let hosts = TwoHosts(LinkConditions(delay: .milliseconds(10)))
        hosts.send(count: 1)
        hosts.network.setConditions(LinkConditions(delay: .milliseconds(10)), on: hosts.bobInterface.uplink)
        hosts.network.send([8], from: hosts.bob, source: hosts.bobAddress, to: hosts.aliceAddress, at: .zero)
        hosts.network.removeInterface(hosts.aliceInterface)
        let new = TransportAddress(ip: IPAddress(198, 51, 100, 7), port: 1_000)
        hosts.network.addInterface(to: hosts.alice, address: new.ip)
        #expect(hosts.network.addresses(of: hosts.alice) == [new.ip])
        // The old address neither sends nor receives; what it had sent arrives.
        hosts.send(count: 1, from: .zero + .milliseconds(1))
        hosts.network.send([9], from: hosts.alice, source: new, to: hosts.bobAddress, at: .zero + .milliseconds(2))
        #expect(hosts.drain().map(\.payload.last) == [9, 0])
        #expect(hosts.network.statistics.unroutable == 2)
    }

    @Test("drops what nobody has an address for")
    func unroutable() {
        let hosts = TwoHosts()
        let nowhere = TransportAddress(ip: IPAddress(203, 0, 113, 99), port: 1)
        hosts.network.send([1], from: hosts.alice, source: hosts.aliceAddress, to: nowhere, at: .zero)
        hosts.network.send([1], from: hosts.alice, source: hosts.bobAddress, to: hosts.bobAddress, at: .zero)
        #expect(hosts.drain().isEmpty)
        #expect(hosts.network.statistics.unroutable == 2)
        #expect(hosts.network.datagramsUnderWay == 0)
    }
}
