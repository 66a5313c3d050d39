import RTCWebView

/// Takes what pages ask, has it done, and answers the page that asked.
@MainActor
final class WebCallDesk {
    private let driver: any WebCallDriver
    private let send: (String, WebOrigin) -> Void
    private var open = OpenWebCallRequests()

    /// - Parameter send: Says something to the page of an origin, if it is still there.
    init(_ driver: any WebCallDriver, send: @escaping (String, WebOrigin) -> Void) {
        self.driver = driver
        self.send = send
    }

    func received(_ text: String, _ origin: WebOrigin) {
        switch WebCallRequest.parse(text) {
        case .noise: break
        case .unknown(let reference):
            send(WebCallMessage(replyTo: reference, error: "there is no such request").text, origin)
        case .request(let request):
            guard open.begin(of: request.reference.document) else {
                return send(
                    WebCallMessage(replyTo: request.reference, error: "too many requests are open").text, origin)
            }
            Task {
                let message = await perform(request)
                open.end(of: request.reference.document)
                send(message.text, origin)
            }
        }
    }

    private func perform(_ request: WebCallRequest) async -> WebCallMessage {
        do {
            switch request.action {
            case .call(let peer): try await driver.call(peer)
            case .answer(let accept): try await driver.answer(accept: accept)
            case .hangUp: try await driver.hangUp()
            case .setMuted(let track, let isMuted): try await driver.setMuted(track, isMuted)
            case .statistics:
                return WebCallMessage(replyTo: request.reference, statistics: try await driver.statistics())
            }
            return WebCallMessage(replyTo: request.reference)
        } catch {
            return WebCallMessage(replyTo: request.reference, error: String(describing: error))
        }
    }
}

/// How many requests are open: what a page leaves behind when it goes does not count against the next one.
struct OpenWebCallRequests: Sendable {
    private var document: Int?
    private var ofDocument = 0
    private var all = 0

    /// Of one document, and of all that were there.
    static let most = 32
    static let mostOfAll = 128

    /// - Returns: `false` if there are too many.
    mutating func begin(of document: Int?) -> Bool {
        if document != self.document { (self.document, ofDocument) = (document, 0) }
        guard ofDocument < Self.most, all < Self.mostOfAll else { return false }
        ofDocument += 1
        all += 1
        return true
    }

    mutating func end(of document: Int?) {
        all -= 1
        if document == self.document { ofDocument -= 1 }
    }
}
