// on: macos ios
// refused: does not conform to protocol 'WKDownloadDelegate'
// chosen: by a reader who did not write the headers
import Foundation
import WebKit
@MainActor final class D: NSObject, WKDownloadDelegate {
    func downloadDidFinish(_ d: WKDownload) {} }
