import RTCMedia
import Testing

@Suite("The parameters of an fmtp line")
struct FormatParametersTests {
    @Test("Names are found whatever their case, and values keep theirs")
    func lookup() {
        let parameters = FormatParameters("minptime=10; UseInBandFEC=1 ;sprop-parameter-sets=Z0LA,aM4=")
        #expect(parameters["minptime"] == "10")
        #expect(parameters.integer("minptime") == 10)
        #expect(parameters.flag("useinbandfec"))
        #expect(!parameters.flag("stereo"))
        #expect(parameters["SPROP-parameter-sets"] == "Z0LA,aM4=")
    }

    @Test("What is written is what was read, in its order")
    func roundTrip() {
        let text = "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f"
        #expect(FormatParameters(text).description == text)
        #expect(FormatParameters("0-15").description == "0-15")
        #expect(FormatParameters("").description == "")
    }

    @Test("A value is replaced in its place, appended, or removed")
    func change() {
        var parameters = FormatParameters("a=1;b=2")
        parameters["A"] = "3"
        parameters["c"] = "4"
        parameters["b"] = nil
        #expect(parameters.description == "a=3;c=4")
    }

    @Test("Nonsense is no parameter, and an absurd line is cut", .timeLimit(.minutes(1)))
    func nonsense() {
        #expect(FormatParameters(";;; ;=;").description == "=")
        let long = FormatParameters(String(repeating: "a=1;", count: 100_000))
        #expect(long.description.utf8.count < 64 * 4)
        #expect(long["a"] == "1")
    }
}
