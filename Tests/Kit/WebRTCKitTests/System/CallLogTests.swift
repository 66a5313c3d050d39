import Logging
import Testing
import WebRTCKit

@Suite("A log to share")
struct CallLogTests {
    @Test("has what was logged at its level or above, in order, with its metadata")
    func lines() throws {
        let log = CallLog()
        var logger = log.logger(label: "calls")
        logger.debug("too fine")
        logger.info("one")
        logger[metadataKey: "call"] = "7"
        logger.warning("two", metadata: ["peer": "bob"])
        let lines = log.text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasSuffix(" info calls: one") == true)
        #expect(lines.last?.hasSuffix(" warning calls: two call=7 peer=bob") == true)
        // Seconds, to the millisecond.
        let time = try #require(lines.first?.prefix { $0 != " " }.split(separator: "."))
        #expect(time.count == 2 && time[1].count == 3 && time.allSatisfy { $0.allSatisfy(\.isNumber) })
    }

    @Test("is as verbose as it is asked to be", arguments: [true, false])
    func verbosity(_ isVerbose: Bool) {
        let log = CallLog()
        log.logger(isVerbose: isVerbose).trace("all of it")
        #expect(log.text.isEmpty == !isVerbose)
    }

    @Test("keeps the newest lines", arguments: [1, 3])
    func limit(_ limit: Int) {
        let log = CallLog(limit: limit)
        let logger = log.logger()
        #expect(log.text.isEmpty)
        for number in 1...10 { logger.info("\(number)") }
        let numbers = log.text.split(separator: "\n").compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(numbers == Array((11 - limit)...10))
    }
}
