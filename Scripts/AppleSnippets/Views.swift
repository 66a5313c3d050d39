import RTCViews
import RTCWebView
import SwiftUI

// The views of docs/, as they stand there.

struct RemotePicture: View {
    let remoteView: VideoView

    var body: some View {
        VideoPicture(remoteView).background(.black)
    }
}

struct CallPage: View {
    var body: some View {
        WebPageView("https://example.com/call")                  // SwiftUI; WebPageViewController in UIKit and AppKit
    }
}
