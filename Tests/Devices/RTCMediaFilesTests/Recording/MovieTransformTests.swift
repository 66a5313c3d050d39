import RTCMediaFiles
import RTCWire
import Testing

@Suite("How a film says that its pictures are turned")
struct MovieTransformTests {
    @Test("In the matrix of its track: every corner comes where the turn brings it")
    func transform() {
        for rotation in VideoRotation.allCases {
            let (width, height) = (640, 480)
            let matrix = MovieTransform(rotation, width: width, height: height)
            let isLying = rotation == .none || rotation == .clockwise180
            let (seenWidth, seenHeight) = isLying ? (640.0, 480.0) : (480.0, 640.0)
            let corners = [(0.0, 0.0), (640, 0), (640, 480), (0, 480)]
            let seen = [(0.0, 0.0), (seenWidth, 0), (seenWidth, seenHeight), (0, seenHeight)]
            for (index, corner) in corners.enumerated() {
                let x = matrix.a * corner.0 + matrix.c * corner.1 + matrix.tx
                let y = matrix.b * corner.0 + matrix.d * corner.1 + matrix.ty
                let expected = seen[(index + Int(rotation.rawValue)) % 4]
                #expect((x, y) == expected)
            }
        }
        #expect(VideoRotation.clockwise90.radians == Double.pi / 2)
    }
}
