internal import Synchronization

/// A weak reference that may be used on any thread.
final class WeakReference<Object: AnyObject & Sendable>: Sendable {
    private struct Reference {
        weak var object: Object?
    }

    private let reference: Mutex<Reference>

    init(_ object: Object?) {
        reference = Mutex(Reference(object: object))
    }

    var value: Object? { reference.withLock { $0.object } }
}
