/// The requests of pages, from what was said to what is replied, as a value.
struct WebCallRequests: Sendable {
    /// What is to be done about something that a page said.
    enum Outcome: Sendable {
        case nothing
        case reply(WebCallMessage)
        /// Do it, and say by ``WebCallRequests/finish(_:with:)`` what came of it.
        case perform(WebCallRequest)
    }

    private var open = OpenWebCallRequests()

    mutating func receive(_ text: String) -> Outcome {
        switch WebCallRequest.parse(text) {
        case .noise: return .nothing
        case .unknown(let reference):
            return .reply(WebCallMessage(replyTo: reference, error: "there is no such request"))
        case .request(let request):
            guard open.begin(of: request.reference.document) else {
                return .reply(WebCallMessage(replyTo: request.reference, error: "too many requests are open"))
            }
            return .perform(request)
        }
    }

    /// Ends a request that was to be performed.
    ///
    /// - Returns: The reply.
    mutating func finish(
        _ request: WebCallRequest, with result: Result<WebCallStatistics?, any Error>
    ) -> WebCallMessage {
        open.end(of: request.reference.document)
        switch result {
        case .success(let statistics): return WebCallMessage(replyTo: request.reference, statistics: statistics)
        case .failure(let error):
            return WebCallMessage(replyTo: request.reference, error: String(describing: error))
        }
    }
}

/// How many requests are open: what a page leaves behind when it goes does not count against the next one.
struct OpenWebCallRequests: Sendable {
    /// By the number that each page says it has: one that says many has no more for it.
    private var ofDocuments: [Int?: Int] = [:]
    private(set) var all = 0

    /// Of one document, and of all that were there.
    static let most = 32
    static let mostOfAll = 128

    /// - Returns: `false` if there are too many.
    mutating func begin(of document: Int?) -> Bool {
        let count = ofDocuments[document, default: 0]
        guard count < Self.most, all < Self.mostOfAll else { return false }
        ofDocuments[document] = count + 1
        all += 1
        return true
    }

    mutating func end(of document: Int?) {
        guard let count = ofDocuments[document] else { return }
        ofDocuments[document] = count > 1 ? count - 1 : nil
        all -= 1
    }
}
