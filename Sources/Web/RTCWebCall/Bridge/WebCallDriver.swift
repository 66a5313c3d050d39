/// Who makes the calls that a page asks for.
public protocol WebCallDriver: AnyObject, Sendable {
    /// Returns when the call is on its way; events tell what becomes of it.
    func call(_ peer: String) async throws
    func answer(accept: Bool) async throws
    func hangUp() async throws
    func setMuted(_ track: WebCallTrack, _ isMuted: Bool) async throws
    func statistics() async throws -> WebCallStatistics
}
