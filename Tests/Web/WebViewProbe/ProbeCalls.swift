#if WebKitGTK
    import RTCWebCall

    /// Calls that nobody makes: each is told, and one of them fails.
    final class ProbeCalls: WebCallDriver {
        struct Refused: Error, CustomStringConvertible { let description: String }

        func call(_ peer: String) async throws {
            WebViewProbe.say(["event": "call", "peer": peer])
            if peer == "nobody" { throw Refused(description: "nobody is not there") }
        }

        func answer(accept: Bool) async throws { WebViewProbe.say(["event": "answer", "accept": accept]) }
        func hangUp() async throws { WebViewProbe.say(["event": "hang-up"]) }

        func setMuted(_ track: WebCallTrack, _ isMuted: Bool) async throws {
            WebViewProbe.say(["event": "muted", "track": track.rawValue, "muted": isMuted])
        }

        func statistics() async throws -> WebCallStatistics { WebCallStatistics(packetsSent: 5, bytesSent: 1_200) }
    }
#endif
