import RTCMedia
import Testing

@Suite("H.264 profile-level-id")
struct H264ProfileLevelTests {
    @Test(
        "Profiles are known by profile and constraint flags (RFC 6184, table 5)",
        arguments: [
            ("42e01f", H264ProfileLevel.Profile.constrainedBaseline), ("42c01e", .constrainedBaseline),
            ("4de01f", .constrainedBaseline), ("58c01f", .constrainedBaseline), ("42001f", .baseline),
            ("42a01f", .baseline), ("58801f", .baseline), ("4d001f", .main), ("4d401f", .main), ("58001f", .extended),
            ("640c1f", .constrainedHigh), ("64001f", .high), ("6e001f", .high10), ("7a001f", .high422),
            ("f4001f", .high444),
        ])
    func profiles(text: String, profile: H264ProfileLevel.Profile) throws {
        let parsed = try #require(H264ProfileLevel(text))
        #expect(parsed.profile == profile)
        // What is written of it means the same.
        #expect(H264ProfileLevel(parsed.description) == parsed)
    }

    @Test(
        "What is not a profile-level-id is none",
        arguments: ["", "42e01", "42e01f0", "zzzzzz", "+2e01f", "-2e01f", "99001f", "6400ff1", "42e0 f", "644c1f"])
    func nonsense(text: String) {
        #expect(H264ProfileLevel(text) == nil)
    }

    @Test("Levels are ordered by what they allow, 1b between 1 and 1.1")
    func levels() throws {
        func level(_ text: String) throws -> H264ProfileLevel.Level { try #require(H264ProfileLevel(text)).level }
        #expect(try level("42f00b") == .level1b)
        #expect(try level("640c09") == .level1b)
        #expect(try level("42e00a") < .level1b)
        #expect(try level("42e00b") > .level1b)
        #expect(try level("42e00b") < level("42e01f"))
        #expect(H264ProfileLevel(.constrainedBaseline, .level1b).description == "42f00b")
        #expect(H264ProfileLevel(.high, .level1b).description == "640009")
        #expect(H264ProfileLevel.unspecified.description == "42e01f")
    }
}
