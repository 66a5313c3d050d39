#if os(Linux)
    import RTCFrames

    /// Loudspeakers by GStreamer, from PipeWire, PulseAudio and ALSA.
    struct GStreamerPlayback: PlaybackBackend {
        func openSpeaker(
            _ device: MediaDevice, onEvent: @escaping @Sendable (CaptureEvent) -> Void
        ) async throws(DeviceError) -> any SpeakerPlayback {
            try await GStreamerCapture.onThread { () throws(DeviceError) in
                let isDefault = device.isSameInstance(as: .defaultSpeaker)
                return GStreamerSpeaker(try isDefault ? SpeakerOutput() : SpeakerOutput(device))
            }
        }
    }

    /// The device list detects that the speaker was unplugged. If the server removes it, the output tries each second
    /// to reopen it.
    private final class GStreamerSpeaker: SpeakerPlayback {
        private let output: SpeakerOutput

        init(_ output: SpeakerOutput) {
            self.output = output
        }

        func deliver(_ frame: AudioFrame) { output.deliver(frame) }
        var playoutDelay: Duration? { output.playoutDelay }
        func close() async { output.stop() }
    }
#endif
