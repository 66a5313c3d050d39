import RTCWire
import Testing

@testable import RTCNetwork

@Suite("Multicast DNS messages")
struct MulticastDNSMessageTests {
    private let name = MulticastDNSName("8f2a-1.local")

    private func addresses(_ bytes: [UInt8]) throws -> [String] {
        let name = try #require(name)
        return bytes.withUnsafeBytes {
            MulticastDNSMessage.addresses(of: name, in: RawSpan(_unsafeBytes: $0)).map(\.description)
        }
    }

    @Test("Only names of one label and local are asked for")
    func names() {
        #expect(MulticastDNSName("A.local")?.label == "a")
        #expect(MulticastDNSName("a.LOCAL.")?.label == "a")
        for text in ["local", "a.b.local", ".local", "a.local.org", "a b.local", "", "a"] {
            #expect(MulticastDNSName(text) == nil, "\(text)")
        }
    }

    @Test("A query asks for both families, and for an answer to itself when told to")
    func query() throws {
        let name = try #require(MulticastDNSName("ab.local"))
        let question: [UInt8] = [2, 0x61, 0x62, 5, 0x6C, 0x6F, 0x63, 0x61, 0x6C, 0]
        let header: [UInt8] = [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0]
        #expect(
            MulticastDNSMessage.query(name, wantsUnicast: true) == header + question + [0, 1, 0x80, 1] + question
                + [0, 28, 0x80, 1])
        #expect(
            MulticastDNSMessage.query(name, wantsUnicast: false) == header + question + [0, 1, 0, 1] + question
                + [0, 28, 0, 1])
    }

    @Test("Addresses are read from answers and additional records, with names written out or pointed to")
    func answers() throws {
        let v6: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [5]
        let message =
            Response.header(answers: 1, additional: 1) + Response.record("8F2A-1.local", type: 1, [192, 0, 2, 9])
            // A pointer to the name of the first record.
            + [0xC0, 12] + Response.fields(type: 28, length: 16) + v6
        #expect(try addresses(message) == ["192.0.2.9", "2001:db8::5"])
    }

    @Test("Queries, errors, other names, other types, other classes and records taken back give nothing")
    func irrelevantMessages() throws {
        let good = Response.header(answers: 1) + Response.record("8f2a-1.local", type: 1, [192, 0, 2, 9])
        #expect(try addresses(good) == ["192.0.2.9"])
        var query = good
        query[2] = 0
        var failure = good
        failure[3] = 3
        #expect(try addresses(query).isEmpty)
        #expect(try addresses(failure).isEmpty)
        let header = Response.header(answers: 1)
        #expect(try addresses(header + Response.record("other.local", type: 1, [192, 0, 2, 9])).isEmpty)
        #expect(try addresses(header + Response.record("8f2a-1.local", type: 16, [192, 0, 2, 9])).isEmpty)
        #expect(try addresses(header + Response.record("8f2a-1.local", type: 1, [192, 0, 2])).isEmpty)
        #expect(try addresses(header + Response.record("8f2a-1.local", type: 1, class: 3, [1, 1, 1, 1])).isEmpty)
        #expect(try addresses(header + Response.record("8f2a-1.local", type: 1, lifetime: 0, [1, 1, 1, 1])).isEmpty)
    }

    @Test("Pointers that lead in circles or forward, and counts that promise too much, end the message")
    func hostileMessages() throws {
        let address: [UInt8] = Response.fields(type: 1, length: 4) + [1, 2, 3, 4]
        // To itself, to behind itself, and past the end.
        for pointer: [UInt8] in [[0xC0, 12], [0xC0, 20], [0xFF, 0xFF], [0xC0]] {
            #expect(try addresses(Response.header(answers: 1) + pointer + address).isEmpty)
        }
        // Two pointers that lead to each other.
        let mutual: [UInt8] = [0xC0, 28] + address + [0xC0, 12] + address
        #expect(try addresses(Response.header(answers: 2) + mutual).isEmpty)
        var promising = Response.header(answers: 65_535) + Response.record("8f2a-1.local", type: 1, [192, 0, 2, 9])
        #expect(try addresses(promising) == ["192.0.2.9"])
        promising[4] = 0xFF
        promising[5] = 0xFF
        #expect(try addresses(promising).isEmpty)
        // A label of an unassigned kind, and a record that is longer than the message.
        #expect(try addresses(Response.header(answers: 1) + [0x80, 1, 0] + address).isEmpty)
        let long: [UInt8] = [0] + Response.fields(type: 1, length: 4_000)
        #expect(try addresses(Response.header(answers: 1) + long).isEmpty)
    }

    @Test("Every truncation and ten thousand garbled messages are survived")
    func garbledMessages() throws {
        let good =
            Response.header(answers: 2) + Response.record("8f2a-1.local", type: 1, [192, 0, 2, 9]) + [0xC0, 12]
            + Response.fields(type: 28, length: 16) + [UInt8](repeating: 7, count: 16)
        for length in 0..<good.count { #expect(try addresses(Array(good[0..<length])).count <= 1) }
        let random = SeededRandom(seed: 5)
        for _ in 0..<10_000 {
            var garbled = good
            for _ in 0..<1 + Int(random.next(below: 6)) {
                garbled[Int(random.next(below: UInt64(garbled.count)))] = UInt8(truncatingIfNeeded: random.next())
            }
            #expect(try addresses(garbled).count <= 8)
        }
    }
}

@Suite("Questions to the local network")
struct MulticastDNSQuestionTests {
    private let responder = TransportAddress(ip: IPAddress(192, 168, 1, 9), port: 5_353)

    private func name(_ label: String) throws -> MulticastDNSName { try #require(MulticastDNSName("\(label).local")) }

    private func outputs(_ questions: inout MulticastDNSQuestions) -> [MulticastDNSQuestions.Output] {
        var all: [MulticastDNSQuestions.Output] = []
        while let output = questions.pollOutput() { all.append(output) }
        return all
    }

    private func receive(
        _ message: [UInt8], from remote: TransportAddress, by questions: inout MulticastDNSQuestions
    ) {
        message.withUnsafeBytes { questions.receive(RawSpan(_unsafeBytes: $0), from: remote) }
    }

    @Test("A name is asked for three times, a second apart, and then is over")
    func attempts() throws {
        var questions = MulticastDNSQuestions()
        let name = try name("a")
        #expect(questions.ask(name, at: .zero) && questions.ask(name, at: .zero), "asked once for all who want it")
        #expect(outputs(&questions) == [.multicast(MulticastDNSMessage.query(name, wantsUnicast: true))])
        let repetition = [
            MulticastDNSQuestions.Output.multicast(MulticastDNSMessage.query(name, wantsUnicast: false))
        ]
        for second in 1...2 {
            questions.handleTimeout(at: .zero + .milliseconds(Int64(second) * 1_000 - 1))
            #expect(outputs(&questions).isEmpty)
            let due = Instant.zero + .seconds(Int64(second))
            #expect(questions.nextDeadline == due)
            questions.handleTimeout(at: due)
            #expect(outputs(&questions) == repetition)
        }
        questions.handleTimeout(at: .zero + .seconds(3))
        #expect(outputs(&questions) == [.finished(name, [])])
        #expect(questions.isEmpty && questions.nextDeadline == nil)
    }

    @Test("An answer ends its question, with eight addresses at most and each once")
    func answers() throws {
        var questions = MulticastDNSQuestions()
        let (asked, other) = (try name("a"), try name("b"))
        #expect(questions.ask(asked, at: .zero) && questions.ask(other, at: .zero))
        _ = outputs(&questions)
        var message = Response.header(answers: 12)
        for last: UInt8 in [1, 1, 2, 3, 4, 5, 6, 7, 8, 9] {
            message += Response.record("A.local", type: 1, [10, 0, 0, last])
        }
        message += Response.record("nobody.local", type: 1, [10, 0, 0, 1])
        let linkLocal: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        message += Response.record("b.local", type: 28, linkLocal)
        var link = TransportAddress(ip: IPAddress(v6High: 0xFE80_0000_0000_0000, low: 9), port: 5_353)
        link.ip.zone = 4
        receive(message, from: link, by: &questions)
        var expected = IPAddress(v6High: 0xFE80_0000_0000_0000, low: 1)
        expected.zone = 4
        #expect(
            outputs(&questions) == [
                .finished(asked, (1...8).map { IPAddress(10, 0, 0, $0) }), .finished(other, [expected]),
            ])
        receive(message, from: link, by: &questions)
        #expect(outputs(&questions).isEmpty && questions.isEmpty, "nobody asks any more")
    }

    @Test("What comes from another port answers nothing, and no description asks for more than 64 names")
    func hostile() throws {
        var questions = MulticastDNSQuestions()
        for number in 0..<64 { #expect(questions.ask(try name("n\(number)"), at: .zero)) }
        #expect(!questions.ask(try name("more"), at: .zero))
        #expect(questions.ask(try name("n0"), at: .zero), "one that is open is no new one")
        _ = outputs(&questions)
        let message = Response.header(answers: 1) + Response.record("n0.local", type: 1, [10, 0, 0, 1])
        receive(message, from: TransportAddress(ip: responder.ip, port: 5_354), by: &questions)
        #expect(outputs(&questions).isEmpty && questions.count == 64)
        receive(message, from: responder, by: &questions)
        #expect(outputs(&questions) == [.finished(try name("n0"), [IPAddress(10, 0, 0, 1)])])
        #expect(questions.ask(try name("more"), at: .zero))
    }
}

/// Pieces of responses.
private enum Response {
    static func header(answers: UInt16, additional: UInt16 = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        for field: UInt16 in [0, 0x8400, 0, answers, 0, additional] { bytes.append(bigEndian: field) }
        return bytes
    }

    static func fields(type: UInt16, class: UInt16 = 0x8001, lifetime: UInt32 = 120, length: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: type)
        bytes.append(bigEndian: `class`)
        bytes.append(bigEndian: lifetime)
        bytes.append(bigEndian: length)
        return bytes
    }

    static func record(
        _ name: String, type: UInt16, class: UInt16 = 0x8001, lifetime: UInt32 = 120, _ data: [UInt8]
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        for label in name.split(separator: ".") { bytes += [UInt8(label.utf8.count)] + label.utf8 }
        return bytes + [0] + fields(type: type, class: `class`, lifetime: lifetime, length: UInt16(data.count)) + data
    }
}
