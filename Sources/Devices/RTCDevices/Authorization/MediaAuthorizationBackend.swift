/// Who knows what the app may use and can ask the person: the system, or a stand-in in tests.
///
/// It need not guard against being asked twice: ``MediaAuthorization`` puts one question at a time for each subject, and none
/// where the status is not `notDetermined`.
public protocol MediaAuthorizationBackend: Sendable {
    /// What is known now. It asks nobody and returns in a few milliseconds; called on any thread.
    func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status

    /// Asks the person. Called while the status is `notDetermined`.
    ///
    /// - Returns: What they said; `notDetermined` is taken for nobody's having answered.
    /// - Throws: ``DeviceError`` when the question cannot be put: `usageDescriptionMissing`, `unavailable`, `notFound`,
    ///   `unanswered`.
    func request(for subject: MediaAuthorization.Subject) async throws(DeviceError) -> MediaAuthorization.Status

    /// The error of a subject that is denied or restricted: why that is so, as far as one can tell, and where to change it.
    func refusal(_ status: MediaAuthorization.Status, of subject: MediaAuthorization.Subject) -> DeviceError

    /// Calls `look`, on any thread, whenever a status may have become another one (the app comes to the front, a node's owner
    /// changes). Called once at most.
    func observe(_ look: @escaping @Sendable () -> Void)
}
