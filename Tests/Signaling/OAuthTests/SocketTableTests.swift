import Testing

@testable import OAuth

@Suite("Whose the other side of a local connection is")
struct SocketTableTests {
    /// Ports 8080 (1F90) and 40000 (9C40), as a machine with the least byte first writes them.
    static let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 41 1 0000000000000000 100
           1: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 42 1 0000000000000000 20
           2: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 43 1 0000000000000000 20
           3: 0200007F:9C41 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 44 1 0000000000000000 20
           4: 0000000000000000FFFF00000100007F:9C42 0000000000000000FFFF00000100007F:1F90 01 0:0 00:0 0  1000        0 45
           5: 00000000000000000000000001000000:9C43 00000000000000000000000001000000:1F90 01 0:0 00:0 0  0        0 46
        nonsense
        """

    let own = SocketTable.End(address: [127, 0, 0, 1], port: 8_080)

    func end(_ port: Int, _ address: [UInt8] = [127, 0, 0, 1]) -> SocketTable.End {
        .init(address: address, port: port)
    }

    @Test("The owner is found by both ends, for a socket of either family")
    func owners() {
        let table = SocketTable(Self.table, port: 8_080)
        let loopback = [UInt8](repeating: 0, count: 15) + [1]
        #expect(table.owner(of: end(40_000), connectedTo: own) == 1_001)
        #expect(table.owner(of: own, connectedTo: end(40_000)) == 1_000)
        #expect(table.owner(of: end(40_001, [127, 0, 0, 2]), connectedTo: own) == 1_002)
        #expect(table.owner(of: end(40_001), connectedTo: own) == nil, "another address")
        #expect(table.owner(of: end(40_002), connectedTo: own) == 1_000, "a socket of IPv6 that speaks IPv4")
        #expect(table.owner(of: end(40_003, loopback), connectedTo: end(8_080, loopback)) == 0)
        #expect(SocketTable(Self.table, port: 9).owner(of: end(40_000), connectedTo: own) == nil)
    }

    @Test("Other users get nothing; where the table does not tell, everybody does")
    func answers() {
        let table = SocketTable(Self.table, port: 8_080)
        #expect(!table.mayAnswer(end(40_000), at: own, user: 1_000))
        #expect(table.mayAnswer(end(40_000), at: own, user: 1_001))
        let loopback = [UInt8](repeating: 0, count: 15) + [1]
        #expect(table.mayAnswer(end(40_003, loopback), at: end(8_080, loopback), user: 1_000), "the system's own")
        #expect(SocketTable("", port: 8_080).mayAnswer(end(40_000), at: own, user: 1_000))
        let gone = Self.table.replacing("9C40 0100007F:1F90", with: "9C4F 0100007F:1F90")
        #expect(!SocketTable(gone, port: 8_080).mayAnswer(end(40_000), at: own, user: 1_000), "it is closed already")
    }
}
