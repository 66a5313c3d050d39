/// A custom microphone and loudspeaker, in place of the machine's: to process or observe audio, or to take it from
/// elsewhere.
///
/// ```swift
/// let webRTCController = WebRTCKit.initialize(
///     signalingServer: signalingServer, config: config, audioDevice: audioDevice)
/// ```
///
/// Audio is exchanged with the ``RTCAudioDeviceDelegate`` that ``initialize(with:)`` passes, on the device's own
/// threads, as interleaved 16-bit samples. Recording and playout are independent of each other. A method that returns
/// `false` has failed.
///
/// The kit calls all methods on one queue of its own, one after another; the delegate's
/// ``RTCAudioDeviceDelegate/dispatchAsync(_:)`` uses the same queue. The app has to synchronise its own access to the
/// device with that queue.
///
/// The names are those of the protocol of the same name in the WebRTC framework. In an app whose default isolation is
/// the main actor, a conforming class is nonisolated (`SendableMetatype`).
public protocol RTCAudioDevice: AnyObject, SendableMetatype {
    // MARK: Recording

    /// The sample rate of recording in hertz, 8,000 to 192,000. Read when recording starts, and after
    /// ``RTCAudioDeviceDelegate/notifyAudioInputParametersChange()``.
    var deviceInputSampleRate: Double { get }
    /// The duration of each delivered buffer, in seconds.
    var inputIOBufferDuration: Double { get }
    /// The number of recorded channels, 1 or more. The first two are used.
    var inputNumberOfChannels: Int { get }
    /// The recording latency in seconds: from a sound to the delivery of its samples.
    var inputLatency: Double { get }

    // MARK: Playout

    /// The sample rate of playout in hertz, 8,000 to 192,000. Read when playout starts, and after
    /// ``RTCAudioDeviceDelegate/notifyAudioOutputParametersChange()``.
    var deviceOutputSampleRate: Double { get }
    /// The duration of each requested buffer, in seconds.
    var outputIOBufferDuration: Double { get }
    /// The number of channels to play, 1 or more. The first two are used.
    var outputNumberOfChannels: Int { get }
    /// The playout latency in seconds: from the request for samples to the sound of the first one. Received video is shown
    /// that much later. Read when playout starts, and after
    /// ``RTCAudioDeviceDelegate/notifyAudioOutputParametersChange()``, which leaves waiting audio as it is if nothing but
    /// the latency changes.
    var outputLatency: Double { get }

    // MARK: Lifecycle

    var isInitialized: Bool { get }
    /// Called first. The device keeps the delegate until ``terminateDevice()``.
    func initialize(with delegate: any RTCAudioDeviceDelegate) -> Bool
    /// Called last. The device releases the delegate.
    func terminateDevice() -> Bool

    var isPlayoutInitialized: Bool { get }
    func initializePlayout() -> Bool
    var isPlaying: Bool { get }
    func startPlayout() -> Bool
    func stopPlayout() -> Bool

    var isRecordingInitialized: Bool { get }
    func initializeRecording() -> Bool
    var isRecording: Bool { get }
    func startRecording() -> Bool
    func stopRecording() -> Bool
}

extension RTCAudioDevice {
    public var inputIOBufferDuration: Double { 0.01 }
    public var inputLatency: Double { 0 }
    public var outputIOBufferDuration: Double { 0.01 }
    public var outputLatency: Double { 0 }
}

/// The delegate that receives what an ``RTCAudioDevice`` records, and provides what it plays. Its methods may be called
/// on any thread.
public protocol RTCAudioDeviceDelegate: AnyObject, Sendable {
    /// Takes recorded samples, up to one second of them, and returns at once.
    ///
    /// - Parameter samples: Interleaved samples.
    /// - Returns: Whether the format can be used.
    @discardableResult
    func deliverRecordedSamples(_ samples: UnsafeBufferPointer<Int16>) -> Bool

    /// Fills a buffer with the samples to play next, or with silence if there are none.
    ///
    /// - Parameter samples: The buffer for interleaved samples.
    /// - Returns: Whether there were samples to play.
    @discardableResult
    func getPlayoutSamples(_ samples: UnsafeMutableBufferPointer<Int16>) -> Bool

    /// The number of recorded channels that is currently assumed: the device's last value.
    var inputNumberOfChannels: Int { get }

    /// The sample rate of recording that needs no conversion, in hertz.
    var preferredInputSampleRate: Double { get }
    /// The recording buffer duration with the lowest delay, in seconds.
    var preferredInputIOBufferDuration: Double { get }
    /// The sample rate of playout that needs no conversion, in hertz.
    var preferredOutputSampleRate: Double { get }
    /// The playout buffer duration with the lowest delay, in seconds.
    var preferredOutputIOBufferDuration: Double { get }

    /// Tells the kit that the sample rate, number of channels or latency of recording changed.
    func notifyAudioInputParametersChange()
    /// Tells the kit that the sample rate, number of channels or latency of playout changed.
    func notifyAudioOutputParametersChange()
    /// Tells the kit that recording was interrupted, for example by a phone call.
    func notifyAudioInputInterrupted()
    /// Tells the kit that playout was interrupted, for example by a phone call.
    func notifyAudioOutputInterrupted()

    /// Runs a block asynchronously on the queue on which the device is called.
    func dispatchAsync(_ block: @escaping @Sendable () -> Void)
    /// Runs a block synchronously on the queue on which the device is called.
    func dispatchSync(_ block: @Sendable () -> Void)
}
