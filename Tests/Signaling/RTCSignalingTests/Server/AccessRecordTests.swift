import Testing

@testable import RTCSignaling

@Suite("Records of the access log")
struct AccessRecordTests {
    @Test("A request and the end of a session are one line of JSON each")
    func lines() {
        let request = AccessRecord(
            time: 1_700_000_000.5, client: "192.0.2.1", proxy: "10.0.0.1",
            event: .request(method: "GET", path: "/", status: 200, bytes: 17))
        #expect(
            request.json
                == #"{"time":1700000000.5,"event":"request","client":"192.0.2.1","proxy":"10.0.0.1","method":"GET","#
                + #""path":"/","status":200,"bytes":17}"#)
        let end = AccessRecord(
            time: 0, client: nil, event: .sessionEnded(user: "alice", seconds: 1.23456, reason: "goingAway"))
        #expect(
            end.json == #"{"time":0.0,"event":"sessionEnded","user":"alice","seconds":1.235,"reason":"goingAway"}"#)
    }

    @Test("Whatever a client writes into a path stays inside of its string")
    func escaping() {
        let path = "/\"\\\u{1}\n\u{7F}é\u{2028}😀"
        let record = AccessRecord(
            time: .infinity, client: nil, event: .request(method: "GET", path: path, status: 404, bytes: 0))
        #expect(
            record.json
                == #"{"time":0,"event":"request","method":"GET","path":"/\"\\\u0001\u000a\u007f\u00e9\u2028\ud83d\ude00","#
                + #""status":404,"bytes":0}"#)
    }
}
