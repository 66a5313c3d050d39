#if os(Linux)
    import RTCFrames
    import Testing

    @testable import RTCViews

    @Suite("From I420 to the pixels of a window")
    struct PixelConversionTests {
        private func pixels(_ picture: I420Buffer, isMirrored: Bool = false) -> [UInt32] {
            let memory = VideoView.pixels(of: picture, isMirrored: isMirrored, pool: PixelMemoryPool())
            return Array(UnsafeBufferPointer(start: memory.pixels, count: memory.count))
        }

        @Test("Colours are those of BT.601, to three steps of 255")
        func colours() {
            for y in stride(from: 0, through: 255, by: 15) {
                for u in stride(from: 0, through: 255, by: 51) {
                    for v in stride(from: 0, through: 255, by: 51) {
                        let picture = I420Buffer(width: 2, height: 2) { planes in
                            planes.y.fill(UInt8(y))
                            planes.u.fill(UInt8(u))
                            planes.v.fill(UInt8(v))
                        }
                        let pixel = pixels(picture)[3]
                        // What is brighter than white has no right colour.
                        let light = min(1.164 * Double(y - 16), 255)
                        let wanted = [
                            light + 2.018 * Double(u - 128),
                            light - 0.391 * Double(u - 128) - 0.813 * Double(v - 128),
                            light + 1.596 * Double(v - 128),
                        ]
                        #expect(pixel >> 24 == 255)
                        for (index, value) in wanted.enumerated() {
                            let got = Double(pixel >> (8 * UInt32(index)) & 255)
                            #expect(abs(got - min(255, max(0, value))) <= 3, "y \(y) u \(u) v \(v) channel \(index)")
                        }
                    }
                }
            }
        }

        @Test("Every size works, odd ones too, and a mirror swaps left and right", arguments: [1, 2, 3, 16, 17, 161])
        func sizes(width: Int) {
            let height = 5
            let picture = I420Buffer(width: width, height: height) { planes in
                for y in 0..<height { for x in 0..<width { planes.y.row(y)[x] = UInt8(16 + (x + 7 * y) % 200) } }
            }
            let plain = pixels(picture)
            let mirrored = pixels(picture, isMirrored: true)
            #expect(plain.count == width * height)
            for y in 0..<height {
                let row = plain[y * width..<(y + 1) * width]
                #expect(Array(row.reversed()) == Array(mirrored[y * width..<(y + 1) * width]))
                for (x, pixel) in row.enumerated() {
                    #expect(abs(Double(pixel & 255) - 1.164 * Double((x + 7 * y) % 200)) <= 3)
                }
            }
        }
    }
#endif
