#if !os(Linux)
    /// Media files, loudspeakers and recordings of a call: only on Linux.
    enum CallDevices {
        static func openFilm(
            _ path: String, option: String, _ onFailure: @escaping @Sendable (String) -> Void
        ) throws(CallRefusal) -> CallFilm {
            throw CallRefusal("\(option) \(path): on this platform only Y4M and WAV files are read")
        }

        static func openSpeaker() throws(CallRefusal) -> CallSpeaker {
            throw CallRefusal("sound cannot be played on this platform yet")
        }

        static func openRecording(_ path: String) throws(CallRefusal) -> CallRecording {
            throw CallRefusal("--record \(path): calls cannot be recorded on this platform yet")
        }
    }
#endif
