#if os(Linux)
    import RTC
    import RTCDevices
    import RTCFrames
    import RTCMediaFiles

    /// Media files, loudspeakers and recordings of a call, with GStreamer.
    enum CallDevices {
        /// - Throws: ``Refusal``, one line that names the option and the file.
        static func openFilm(
            _ path: String, option: String, _ onFailure: @escaping @Sendable (String) -> Void
        ) throws(Refusal) -> CallFilm {
            do {
                let source = try MediaFileSource(path: path, loops: true) { error in
                    if let error { onFailure("\(option) \(path): \(error.message)") }
                }
                return CallFilm(video: source.video, audio: source.audio)
            } catch {
                throw Refusal(error.message.contains(path) ? error.message : "\(option) \(path): \(error.message)")
            }
        }

        static func openSpeaker() throws(Refusal) -> CallSpeaker {
            do {
                let output = try SpeakerOutput()
                return CallSpeaker(sink: output, isAudible: output.isAudible, stop: { output.stop() })
            } catch {
                throw Refusal("the sound cannot be played: \(error.message)")
            }
        }

        static func openRecording(_ path: String) throws(Refusal) -> CallRecording {
            do {
                let recorder = try MediaRecorder(path: path)
                return CallRecording(path: path, video: recorder, audio: recorder) {
                    do throws(DeviceError) {
                        try await recorder.finish()
                        return nil
                    } catch {
                        return "--record \(path): \(error.message)"
                    }
                }
            } catch {
                throw Refusal(error.message.contains(path) ? error.message : "--record \(path): \(error.message)")
            }
        }
    }
#endif
