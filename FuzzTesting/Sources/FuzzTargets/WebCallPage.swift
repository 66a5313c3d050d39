import Foundation
import RTCWebView

@testable import RTCWebCall

/// A page that posts arbitrary messages, and the bridge that handles them, without a web view. Traps if it
/// finds an error.
struct WebCallPage {
    private static let allowed: OriginList = ["https://call.example", "https://*.call.example"]
    private static let origin = WebOrigin("https://call.example")

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var requests = WebCallRequests()
    private var open: [WebCallRequest] = []

    init() {}

    /// Handles a message of the web view's script: origin and document in the first line, then the message of the page.
    mutating func receive(_ message: String) {
        guard let text = WebPageMessages.text(in: message, allowed: Self.allowed, of: Self.origin) else { return }
        switch requests.receive(text) {
        case .nothing: break
        case .reply(let reply): check(reply)
        case .perform(let request):
            check(request)
            open.append(request)
            precondition(open.count <= OpenWebCallRequests.maximumTotal, "requests without bound")
            let ofDocument = open.count { $0.reference.document == request.reference.document }
            precondition(ofDocument <= OpenWebCallRequests.most, "too many requests of one document")
        }
    }

    /// Finishes a pending request.
    ///
    /// - Parameter problem: The error message, if the request failed.
    mutating func finish(_ number: Int, problem: String? = nil) {
        guard !open.isEmpty else { return }
        let request = open.remove(at: number % open.count)
        let result: Result<WebCallStatistics?, any Error>
        if let problem {
            result = .failure(Failure(description: problem))
        } else {
            result = .success(request.action == .statistics ? WebCallStatistics(packetsSent: .max) : nil)
        }
        let reply = requests.finish(request, with: result)
        precondition(reply.id == request.reference.id && reply.document == request.reference.document)
        check(reply)
    }

    /// Sends an event of a call by a caller with this name.
    func tell(peer: String) {
        check(WebCallMessage(.incoming(peer: peer)))
        check(WebCallMessage(.ended(reason: peer)))
    }

    /// Checks that a request is within its limits.
    private func check(_ request: WebCallRequest) {
        precondition(request.reference.id >= 0)
        guard case .call(let peer) = request.action else { return }
        precondition(!peer.isEmpty && peer.utf8.count <= WebCallRequest.longestPeer, "a peer without bound")
    }

    /// Checks that a message to the page can be parsed.
    private func check(_ message: WebCallMessage) {
        struct Read: Decodable {
            let id: Int?
            let document: Int?
            let event: String?
            let peer: String?
            let reason: String?
            let error: String?
        }
        let text = message.text
        WebPageMessages.checkLiteral(text)
        guard let read = try? JSONDecoder().decode(Read.self, from: Data(text.utf8)) else {
            preconditionFailure("the page cannot read it: \(text)")
        }
        precondition(read.id == message.id && read.document == message.document && read.event == message.event)
        precondition(read.peer == message.peer && read.reason == message.reason && read.error == message.error)
    }
}
