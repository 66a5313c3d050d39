import RTCWire
import Testing

@testable import NATS

@Suite("Answers of JetStream")
struct JetStreamAnswerTests {
    private static func error(_ json: String) -> NATSError? {
        do {
            _ = try JetStreamAPI.decode(PublishAcknowledgement.self, from: Array(json.utf8))
            return nil
        } catch { return error }
    }

    @Test("Errors are values; that of a compare-and-set does not tell the sequence")
    func errors() {
        let other = Self.error(#"{"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"}}"#)
        #expect(
            other?.code
                == .jetStream(JetStreamError(code: 503, errorCode: 10_077, description: "maximum bytes exceeded")))
        for number in [10_071, 10_164] {
            let wrong = Self.error(
                #"{"error":{"code":400,"err_code":\#(number),"description":"wrong last sequence: 4711"}}"#)
            #expect(wrong?.code == .wrongLastSequence)
            #expect(!"\(String(reflecting: wrong))".contains("4711"))
        }
        #expect(
            Self.error(#"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#)?.code
                == .bucketNotFound)
        #expect(
            Self.error(#"{"error":{}}"#)?.code == .jetStream(JetStreamError(code: 0, errorCode: 0, description: "")))
    }

    @Test(
        "Anything else is malformed, and the outcome of the write unknown",
        arguments: [
            "", "{}", "[]", #"{"stream":"KV_b"}"#, #"{"stream":"KV_b","seq":-1}"#, "+OK",
            String(repeating: "[", count: 1_000),
        ])
    func malformed(json: String) {
        #expect(Self.error(json)?.code == .malformedAnswer)
        #expect(Self.error(json)?.isOutcomeUnknown == true)
    }

    @Test("A bucket is a stream with the properties of ADR-8")
    func configuration() throws {
        var configuration = KeyValueConfiguration(name: try KeyValueBucketName("sessions"))
        configuration.history = 5
        configuration.maximumAge = .seconds(30)
        configuration.replicas = 3
        configuration.storage = .memory
        configuration.maximumBytes = 1_000_000
        let json = String(decoding: JSONCoding.encode(try StreamConfiguration(configuration)), as: UTF8.self)
        for part in [
            #""name":"KV_sessions""#, #""subjects":["$KV.sessions.>"]"#, #""max_msgs_per_subject":5"#,
            #""max_age":30000000000"#,
            #""duplicate_window":30000000000"#, #""num_replicas":3"#, #""storage":"memory""#, #""discard":"new""#,
            #""allow_rollup_hdrs":true"#, #""deny_delete":true"#, #""allow_direct":true"#, #""max_bytes":1000000"#,
            #""max_msg_size":-1"#,
        ] {
            #expect(json.contains(part), "\(part) in \(json)")
        }
    }

    @Test("Impossible buckets are refused")
    func impossible() throws {
        let name = try KeyValueBucketName("b")
        let changes: [(inout KeyValueConfiguration) -> Void] = [
            { $0.history = 0 }, { $0.history = 65 }, { $0.replicas = 0 }, { $0.replicas = 6 },
            { $0.maximumAge = .milliseconds(1) },
            { $0.maximumBytes = 0 }, { $0.maximumValueSize = 0 },
        ]
        for change in changes {
            var configuration = KeyValueConfiguration(name: name)
            change(&configuration)
            #expect(throws: NATSError.self) { try StreamConfiguration(configuration) }
        }
        #expect(TimeDelta(Duration.seconds(1) + .nanoseconds(5)).nanoseconds == 1_000_000_005)
        #expect(TimeDelta(Duration.seconds(Int64.max)).nanoseconds == .max)
    }
}
