internal import Synchronization

/// A reference that does not keep its object, for any thread.
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

/// The sequence, which keeps `object` for as long as it is there.
func keeping<Object: AnyObject & Sendable, Element: Sendable>(
    _ object: Object, _ stream: AsyncStream<Element>
) -> AsyncStream<Element> {
    AsyncStream(unfolding: {
        // All iterators of a stream share what it holds.
        var iterator = stream.makeAsyncIterator()
        let element = await iterator.next()
        return withExtendedLifetime(object) { element }
    })
}
