import Foundation
import Synchronization
import WebRTCKit

/// Looks at the pictures of a track, as a view of the WebRTC framework would.
nonisolated final class ThumbnailRenderer: RTCVideoRenderer, Sendable {
    struct Thumbnail: Sendable, Equatable {
        var size = CGSize.zero
        var sizeChanges = 0
        var pictures = 0
        /// Of the middle of the newest picture, 16 to 235.
        var brightness: UInt8 = 0
    }

    private let state = Mutex(Thumbnail())

    var thumbnail: Thumbnail { state.withLock { $0 } }

    func setSize(_ size: CGSize) {
        state.withLock { state in
            state.size = size
            state.sizeChanges += 1
        }
    }

    func renderFrame(_ frame: RTCVideoFrame?) {
        guard let picture = frame?.newI420()?.buffer as? RTCI420Buffer else { return }
        let middle = picture.withPlanes { y, _, _ in y[Int(picture.height / 2 * picture.strideY + picture.width / 2)] }
        state.withLock { state in
            state.pictures += 1
            state.brightness = middle
        }
    }
}
