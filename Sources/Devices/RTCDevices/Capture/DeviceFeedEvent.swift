import Synchronization

/// An event of a ``CameraFeed``, ``MicrophoneFeed`` or ``SpeakerFeed``.
public enum DeviceFeedEvent: Sendable, Hashable {
    /// The device is used from now on.
    case using(MediaDevice)
    /// The device was unplugged while it was in use. Another one takes over, if there is one.
    case lost(MediaDevice)
    /// The device could not be opened, failed, or has delivered nothing since it was opened. It is opened again, or
    /// another one takes over, if there is one.
    case failed(MediaDevice, DeviceError)
    /// Something else uses the device temporarily. The text is human-readable.
    case interrupted(MediaDevice, String)
    case resumed(MediaDevice)
    /// The rotation of this camera's frames changed. Frames carry their rotation themselves: only a preview that
    /// ignores it has to react.
    case turned(MediaDevice, RotationAngles)
    /// There is no device that can be used. The feed pauses until there is one.
    case none
}

/// Passes a feed's events to all listeners. A listener that is more than 64 events behind loses the oldest.
final class FeedEvents: Sendable {
    private struct State {
        var readers: [Int: AsyncStream<DeviceFeedEvent>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    deinit { for reader in state.withLock({ $0.readers.values }) { reader.finish() } }

    func stream() -> AsyncStream<DeviceFeedEvent> {
        let (stream, reader) = AsyncStream.makeStream(
            of: DeviceFeedEvent.self, bufferingPolicy: .bufferingNewest(64))
        let number = state.withLock { state in
            state.next += 1
            state.readers[state.next] = reader
            return state.next
        }
        reader.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.readers.removeValue(forKey: number) } }
        return stream
    }

    func tell(_ event: DeviceFeedEvent) {
        for reader in state.withLock({ $0.readers.values }) { reader.yield(event) }
    }
}
