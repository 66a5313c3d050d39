import ArgumentParser
import RTC

extension PeerConnection.ICEServer {
    /// - Throws: `ValidationError` for the first server without a usable URL.
    static func check(_ servers: [Self]) throws {
        for server in servers {
            do {
                _ = try ICEServerURL(server.url)
            } catch {
                throw ValidationError("the URL of --ice-server \(error)")
            }
        }
    }
}
