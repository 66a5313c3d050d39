#if canImport(AVFoundation) && canImport(SwiftUI)
    internal import RTCViews
    internal import SwiftUI

    extension WebRTCVideoView {
        /// - Parameter aspectFit: Whether all of a picture is seen, or it covers all of the space.
        public init(videoTrack: WRKRTCVideoTrack?, aspectFit: Bool) {
            self.init(videoTrack: videoTrack, scaling: aspectFit ? .fit : .fill)
        }
    }
#endif
