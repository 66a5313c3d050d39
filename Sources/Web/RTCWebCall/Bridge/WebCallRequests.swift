/// The requests of pages, from message to reply, as a value.
struct WebCallRequests: Sendable {
    /// What to do about a message of a page.
    enum Outcome: Sendable {
        case nothing
        case reply(WebCallMessage)
        /// Perform the request, and pass its result to ``WebCallRequests/finish(_:with:)``.
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

    /// Ends a request that was performed.
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

/// The number of open requests. Requests that a page leaves open do not count against the next page.
struct OpenWebCallRequests: Sendable {
    /// By the number that each document claims; ``maximumTotal`` limits a document that claims several.
    private var countsByDocument: [Int?: Int] = [:]
    private(set) var all = 0

    /// The limits for one document, and for all documents together.
    static let most = 32
    static let maximumTotal = 128

    /// - Returns: `false` if too many requests are open.
    mutating func begin(of document: Int?) -> Bool {
        let count = countsByDocument[document, default: 0]
        guard count < Self.most, all < Self.maximumTotal else { return false }
        countsByDocument[document] = count + 1
        all += 1
        return true
    }

    mutating func end(of document: Int?) {
        guard let count = countsByDocument[document] else { return }
        countsByDocument[document] = count > 1 ? count - 1 : nil
        all -= 1
    }
}
