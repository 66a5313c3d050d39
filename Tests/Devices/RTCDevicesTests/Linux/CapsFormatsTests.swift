#if os(Linux)
    import RTCDevices
    import Testing

    @testable import RTCDevices

    @Suite("A camera's formats, from GStreamer's text")
    struct CapsFormatsTests {
        @Test("Lists of formats and rates are taken apart, the largest format first")
        func lists() {
            let caps = CapsFormats(
                "video/x-raw, format=(string)YUY2, width=(int)640, height=(int)480, framerate=(fraction){ 30/1, 15/1, 30000/1001 }; "
                    + "image/jpeg, width=(int)1920, height=(int)1080, framerate=(fraction)30/1; "
                    + "video/x-raw, format=(string){ NV12, I420 }, width=(int)320, height=(int)240, framerate=(fraction)[ 5/1, 60/1 ]"
            )
            #expect(caps.formats.map(\.pixelFormat) == [.mjpeg, .yuy2, .nv12, .i420])
            #expect(
                caps.formats[0] == CameraFormat(width: 1_920, height: 1_080, frameRates: [30...30], pixelFormat: .mjpeg)
            )
            #expect(caps.formats[1].frameRates.map(\.lowerBound) == [15, 30_000 / 1_001.0, 30])
            #expect(caps.formats[2].frameRates == [5...60])
            #expect(!caps.isGrey)
        }

        @Test("A camera that can do any size is taken to have the usual ones within its range")
        func ranges() {
            let caps = CapsFormats(
                "video/x-raw(memory:DMABuf), format=(string)NV12, width=(int)[ 16, 1280 ], height=(int)[ 16, 960 ], "
                    + "framerate=(fraction)[ 0/1, 2147483647/1 ]")
            #expect(caps.formats.first.map { [$0.width, $0.height] } == [1_280, 720])
            #expect(caps.formats.allSatisfy { $0.width <= 1_280 && $0.frameRates == [1...240] })
        }

        @Test("A camera that sees brightness alone is one for faces in the dark")
        func grey() {
            #expect(
                CapsFormats(
                    "video/x-raw, format=(string)GRAY8, width=(int)640, height=(int)360, framerate=(fraction)15/1"
                )
                .isGrey)
            #expect(
                !CapsFormats(
                    "video/x-raw, format=(string){ GRAY8, YUY2 }, width=(int)640, height=(int)360, framerate=(fraction)15/1"
                ).isGrey)
        }

        @Test(
            "Text that means nothing brings nothing",
            arguments: [
                "", "ANY", ";;;", "video/x-raw", "video/x-raw, width=(int)-1, height=(int)480, format=(string)YUY2",
                "video/x-raw, format=(string)YUY2, width=(int)99999999999999999999, height=(int)480",
                "video/x-raw, format=(string){ }, width=(int)640, height=(int)480", "{[<", "}]>,;=",
                "audio/x-raw, rate=(int)48000",
                "video/x-raw, format=(string)YUY2, width=(int)[ 1, height=(int)480",
            ])
        func garbage(_ text: String) {
            #expect(CapsFormats(text).formats.isEmpty)
        }

        @Test("No text makes more formats than there is room for")
        func bounded() {
            let names = (0..<2_000).map { "F\($0)" }.joined(separator: ", ")
            let caps = CapsFormats(
                "video/x-raw, format=(string){ \(names) }, width=(int)[ 1, 8000 ], height=(int)[ 1, 8000 ]")
            #expect(caps.formats.count == CapsFormats.limit)
        }
    }
#endif
