import Testing

@testable import RTCViews

@Suite("The pictures on the buttons")
struct CallIconTests {
    @Test("Each is a shape on nothing, within its square, and differs from the others")
    func shapes() {
        let icons: [CallIcon] = [
            .microphone, .microphoneOff, .camera, .cameraOff, .mirror, .mirrorOff, .hangUp,
        ]
        let drawn = icons.map { $0.pixels(side: 48, color: .white) }
        for pixels in drawn {
            #expect(pixels.count == 48 * 48)
            let opaque = pixels.count { $0 == 0xFFFF_FFFF }
            #expect((100...1_200).contains(opaque))
            for index in 0..<48 {
                for edge in [index, 47 * 48 + index, index * 48, index * 48 + 47] { #expect(pixels[edge] >> 24 == 0) }
            }
        }
        #expect(Set(drawn).count == icons.count)
    }
}
