import Dispatch
import Synchronization

@testable import RTCDevices

/// A system that asks when it is told to, and counts. It answers on a thread of its own, and asks once for each.
/// https://developer.apple.com/documentation/avfoundation/avcapturedevice/requestaccess(for:completionhandler:)
final class FakeAuthorization: MediaAuthorizationBackend {
    private struct State {
        var statuses: [MediaAuthorization.Subject: MediaAuthorization.Status] = [:]
        var asked: [MediaAuthorization.Subject: Int] = [:]
        var open:
            [MediaAuthorization.Subject: CheckedContinuation<Result<MediaAuthorization.Status, DeviceError>, Never>] =
                [:]
        var waiters: [MediaAuthorization.Subject: [CheckedContinuation<Void, Never>]] = [:]
        var look: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func set(_ status: MediaAuthorization.Status, for subject: MediaAuthorization.Subject) {
        let look = state.withLock { state in
            state.statuses[subject] = status
            return state.look
        }
        look?()
    }

    func timesAsked(about subject: MediaAuthorization.Subject) -> Int { state.withLock { $0.asked[subject] ?? 0 } }

    /// Returns once the question is on the screen.
    func isAsking(about subject: MediaAuthorization.Subject) async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.open[subject] != nil { return true }
                state.waiters[subject, default: []].append(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    /// The person answers, on a thread of the system's own.
    func answer(_ answer: Result<MediaAuthorization.Status, DeviceError>, about subject: MediaAuthorization.Subject) {
        DispatchQueue.global().async {
            let continuation = self.state.withLock { state in
                if case .success(let status) = answer { state.statuses[subject] = status }
                return state.open.removeValue(forKey: subject)
            }
            continuation?.resume(returning: answer)
        }
    }

    func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status {
        state.withLock { $0.statuses[subject] ?? .notDetermined }
    }

    func request(
        for subject: MediaAuthorization.Subject
    ) async throws(DeviceError) -> MediaAuthorization.Status {
        try await withCheckedContinuation { continuation in
            let waiters = state.withLock { state in
                state.asked[subject, default: 0] += 1
                state.open[subject] = continuation
                return state.waiters.removeValue(forKey: subject) ?? []
            }
            for waiter in waiters { waiter.resume() }
        }.get()
    }

    func refusal(_ status: MediaAuthorization.Status, of subject: MediaAuthorization.Subject) -> DeviceError {
        DeviceError(status == .denied ? .denied : .restricted, "in the settings, under Privacy, \(subject.rawValue)")
    }

    func observe(_ look: @escaping @Sendable () -> Void) { state.withLock { $0.look = look } }
}
