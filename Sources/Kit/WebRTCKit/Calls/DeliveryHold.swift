internal import Synchronization

/// Holds deliveries back while a request of the app is to come first: from its beginning until its invitation was sent, or until it
/// has failed. Each request has a hold of its own.
final class DeliveryHold: Sendable {
    private let hold = Hold()
    /// The holds that end with the next invitation.
    private let awaitingInvitation = Mutex<[Hold.Number]>([])

    func begin() -> Hold.Number { hold.begin() }

    /// Ends the hold of a request that has failed.
    func end(_ number: Hold.Number) {
        awaitingInvitation.withLock { $0.removeAll { $0 == number } }
        hold.end(number)
    }

    /// Ends a hold when the next invitation was sent. Called before the request makes its call, so that the invitation cannot come
    /// first.
    func endAfterInvitation(_ number: Hold.Number) { awaitingInvitation.withLock { $0.append(number) } }

    /// Called when an invitation was sent, or could not be, and when a call has ended: its invitation may never be sent then.
    func invitationIsOver() {
        let numbers = awaitingInvitation.withLock { numbers in
            defer { numbers = [] }
            return numbers
        }
        for number in numbers { hold.end(number) }
    }

    func endAll() {
        awaitingInvitation.withLock { $0 = [] }
        hold.endAll()
    }

    func wait() async { await hold.wait() }
}
