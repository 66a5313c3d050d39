// on: macos ios visionos
// refused: must be unwrapped|value of optional type
import Foundation
func ended(_ delegate: any URLSessionTaskDelegate, _ session: URLSession, _ task: URLSessionTask) {
    let handler: () -> Void = { delegate.urlSession(session, task: task, didCompleteWithError: nil) }
    handler()
}
