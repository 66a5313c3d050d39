#if os(Linux)
    import CGStreamer
    import RTCWire
    import Synchronization

    /// The parts of a microphone's pipeline that process a voice, in the syntax of `gst-launch-1.0`.
    struct VoiceFilter {
        /// What the microphone's audio passes: mono at 48 kHz, in and out. With echo cancellation, ``FarEnd`` finds the audio before
        /// it in the appsink `recorded`.
        let description: String
        /// Takes the played audio, from the appsrc `far`; `nil` without echo cancellation.
        let farEnd: String?

        /// The number of filters so far: the elements need unique names.
        private static let count = Atomic(0)

        /// - Throws: ``DeviceError`` `unavailable` if the elements are not installed.
        init(_ processing: VoiceProcessing, _ gst: GStreamerLibrary) throws(DeviceError) {
            guard gst.has("webrtcdsp"), gst.has("webrtcechoprobe") else {
                throw DeviceError(
                    .unavailable,
                    "GStreamer lacks webrtcdsp, which takes echo and noise out of a call; install it (Debian: gstreamer1.0-plugins-bad), or open the microphone without voice processing"
                )
            }
            let probe = "duet-echo-\(Self.count.add(1, ordering: .relaxed).newValue)"
            let filter =
                "! webrtcdsp echo-cancel=\(processing.cancelsEcho) noise-suppression=\(processing.suppressesNoise) "
                + "gain-control=\(processing.controlsGain) high-pass-filter=true delay-agnostic=false "
                + "echo-suppression-level=high probe=\(probe) "
            guard processing.cancelsEcho else {
                (description, farEnd) = (filter, nil)
                return
            }
            // The branch that is named first is served first: its audio is there when the other's arrives.
            description =
                "! tee name=microphone-tee ! appsink name=recorded sync=false async=false enable-last-sample=false "
                + "max-buffers=50 drop=true microphone-tee. \(filter)"
            farEnd =
                "appsrc name=far format=time is-live=true block=false "
                + "caps=audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved "
                + "! webrtcechoprobe name=\(probe) ! fakesink sync=false async=false"
        }
    }

    extension GStreamerLibrary {
        /// The audio of a sample of 16 bits; `nil` if it has none, or more than two channels.
        func audio(of sample: OpaquePointer) -> (samples: [Int16], channels: Int, time: Instant?)? {
            let functions = functions.pointee
            var channels: Int32 = 0
            var map = CGSTMap()
            guard let buffer = functions.gst_sample_get_buffer(sample),
                let caps = functions.gst_sample_get_caps(sample),
                let structure = functions.gst_caps_get_structure(caps, 0),
                functions.gst_structure_get_int(structure, "channels", &channels) != 0, (1...2).contains(channels),
                functions.gst_buffer_map(buffer, &map, 1) != 0
            else { return nil }
            defer { functions.gst_buffer_unmap(buffer, &map) }
            let time = cgst_buffer_time(buffer)
            return (
                Array(map.bytes.bindMemory(to: Int16.self)), Int(channels),
                time == CGST_NO_TIME ? nil : Instant(nanoseconds: Int64(clamping: time))
            )
        }
    }
#endif
