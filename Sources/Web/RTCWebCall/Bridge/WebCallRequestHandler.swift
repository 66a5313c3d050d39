import RTCWebView

/// Performs the requests of pages, and replies to them.
@MainActor
final class WebCallRequestHandler {
    private let driver: any WebCallDriver
    private let send: (String, WebOrigin) -> Void
    private var requests = WebCallRequests()

    /// - Parameter send: Sends a message to the page of an origin, if it is still loaded.
    init(_ driver: any WebCallDriver, send: @escaping (String, WebOrigin) -> Void) {
        self.driver = driver
        self.send = send
    }

    func received(_ text: String, _ origin: WebOrigin) {
        switch requests.receive(text) {
        case .nothing: break
        case .reply(let message): send(message.text, origin)
        case .perform(let request):
            Task {
                let message = await requests.finish(request, with: perform(request))
                send(message.text, origin)
            }
        }
    }

    private func perform(_ request: WebCallRequest) async -> Result<WebCallStatistics?, any Error> {
        do {
            switch request.action {
            case .call(let peer): try await driver.call(peer)
            case .answer(let accept): try await driver.answer(accept: accept)
            case .hangUp: try await driver.hangUp()
            case .setMuted(let track, let isMuted): try await driver.setMuted(track, isMuted)
            case .statistics: return .success(try await driver.statistics())
            }
            return .success(nil)
        } catch {
            return .failure(error)
        }
    }
}
