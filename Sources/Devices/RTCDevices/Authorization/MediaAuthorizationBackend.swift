/// The service that knows the app's permissions and asks the person: the system's, or a mock in tests.
///
/// It need not handle repeated requests: ``MediaAuthorization`` makes one request at a time for each subject, and none
/// unless the status is `notDetermined`.
package protocol MediaAuthorizationBackend: Sendable {
    /// Returns the current status, without asking the person, within a few milliseconds. Called on any thread.
    func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status

    /// Asks the person for a permission. Called while the status is `notDetermined`.
    ///
    /// - Returns: The new status; `notDetermined` means that nobody answered.
    /// - Throws: ``DeviceError`` if the person cannot be asked: `usageDescriptionMissing`, `unavailable`, `notFound`,
    ///   `unanswered`.
    func request(for subject: MediaAuthorization.Subject) async throws(DeviceError) -> MediaAuthorization.Status

    /// Returns the error for a denied or restricted permission, which says why, if that is known, and where to change
    /// it.
    func refusal(_ status: MediaAuthorization.Status, of subject: MediaAuthorization.Subject) -> DeviceError

    /// Calls `look`, on any thread, when a status may have changed (the app became active, the owner of a device node
    /// changed). Called once at most.
    func observe(_ look: @escaping @Sendable () -> Void)
}
