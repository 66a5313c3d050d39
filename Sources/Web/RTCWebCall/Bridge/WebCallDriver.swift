/// Makes the calls that a page requests.
public protocol WebCallDriver: AnyObject, Sendable {
    /// Starts a call, and returns before it is answered. Events report its progress.
    func call(_ peer: String) async throws
    func answer(accept: Bool) async throws
    func hangUp() async throws
    func setMuted(_ track: WebCallTrack, _ isMuted: Bool) async throws
    func statistics() async throws -> WebCallStatistics
}
