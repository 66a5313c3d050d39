#if !os(Linux)
    /// Media files, loudspeakers and recordings of a call: only on Linux.
    enum CallDevices {
        static func openFilm(
            _ path: String, option: String, _ onFailure: @escaping @Sendable (String) -> Void
        ) throws(Refusal) -> CallFilm {
            throw Refusal("\(option) \(path): on this platform only Y4M and WAV files are read")
        }

        static func openSpeaker() throws(Refusal) -> CallSpeaker {
            throw Refusal("sound cannot be played on this platform yet")
        }

        static func openRecording(_ path: String) throws(Refusal) -> CallRecording {
            throw Refusal("--record \(path): calls cannot be recorded on this platform yet")
        }
    }
#endif
