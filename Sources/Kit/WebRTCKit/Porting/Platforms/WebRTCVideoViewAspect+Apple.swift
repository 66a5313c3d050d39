#if canImport(AVFoundation) && canImport(SwiftUI)
    internal import RTCViews
    internal import SwiftUI

    extension WebRTCVideoView {
        /// Creates a view of a track.
        ///
        /// - Parameter aspectFit: Whether the video fits the space; otherwise it fills the space.
        public init(videoTrack: WRKRTCVideoTrack?, aspectFit: Bool) {
            self.init(videoTrack: videoTrack, scaling: aspectFit ? .fit : .fill)
        }
    }
#endif
