import RTCWire
import Testing

@testable import RTCViews

@Suite("The shape of a picture in a view")
struct VideoAspectRatioTests {
    private func size(
        _ picture: (Int, Int), _ rotation: VideoRotation = .none, in space: (Double?, Double?),
        _ scaling: VideoScaling = .fit
    ) -> [Double]? {
        let shape = VideoAspectRatio(width: picture.0, height: picture.1, rotation: rotation)
        return shape?.size(width: space.0, height: space.1, scaling: scaling).map { [$0.width, $0.height] }
    }

    @Test("The example of the README: a view that is at most 230 high is as wide as its picture")
    func example() {
        #expect(size((1280, 720), in: (393, 230)) == [393, 393.0 * 720 / 1280])
        #expect(size((1280, 720), .clockwise90, in: (393, 230)) == [230.0 * 720 / 1280, 230])
        #expect(size((1280, 720), .clockwise270, in: (393, 230)) == [230.0 * 720 / 1280, 230])
        #expect(size((640, 480), .clockwise180, in: (1000, 230)) == [230 * (640.0 / 480), 230])
    }

    @Test("What has no limit follows from what has one")
    func limits() {
        #expect(size((200, 100), in: (50, nil)) == [50, 25])
        #expect(size((200, 100), in: (.infinity, 50)) == [100, 50])
        #expect(size((200, 100), in: (nil, nil)) == nil)
        #expect(size((200, 100), in: (.infinity, .nan)) == nil)
        #expect(size((200, 100), in: (0, 100)) == [0, 0])
    }

    @Test("A picture that fills covers all of the space")
    func fills() {
        #expect(size((200, 100), in: (50, 50), .fill) == [50, 50])
        #expect(size((200, 100), in: (nil, 50), .fill) == [100, 50])
    }

    @Test("Where there is no picture there is no shape")
    func none() {
        #expect(VideoAspectRatio(width: 0, height: 100) == nil)
        #expect(VideoAspectRatio(width: 100, height: -1) == nil)
    }
}
