/// A microphone and a loudspeaker of an app's own, in place of the machine's: to change sound before it is sent, to
/// have it from elsewhere, to look at it on its way.
///
/// ```swift
/// let webRTCController = WebRTCKit.initialize(
///     signalingServer: signalingServer, config: config, audioDevice: audioDevice)
/// ```
///
/// Sound passes through the ``RTCAudioDeviceDelegate`` that ``initialize(with:)`` brings, on threads of the device's
/// own, as 16-bit samples of which those of the channels take turns. Recording and playing are independent of each
/// other. A function that returns false has not done what it says.
///
/// The kit calls everything here on one queue of its own, one after another; the delegate's
/// ``RTCAudioDeviceDelegate/dispatchAsync(_:)`` uses it too. What an app does with its device elsewhere has to go
/// together with that.
///
/// The names are those of the protocol of the same name in the WebRTC framework. A class of an app's whose default isolation is the
/// main actor is nonisolated by conforming (`SendableMetatype`).
public protocol RTCAudioDevice: AnyObject, SendableMetatype {
    // MARK: What is recorded

    /// In hertz, 8,000 to 192,000. Read when recording starts, and when its parameters are said to have changed.
    var deviceInputSampleRate: Double { get }
    /// How much sound is delivered at once, in seconds.
    var inputIOBufferDuration: Double { get }
    /// 1 or more; the first two are used.
    var inputNumberOfChannels: Int { get }
    /// How many seconds pass between a sound and its delivery.
    var inputLatency: Double { get }

    // MARK: What is played

    /// In hertz, 8,000 to 192,000. Read when playing starts, and when its parameters are said to have changed.
    var deviceOutputSampleRate: Double { get }
    /// How much sound is asked for at once, in seconds.
    var outputIOBufferDuration: Double { get }
    /// 1 or more; the first two are used.
    var outputNumberOfChannels: Int { get }
    /// How many seconds pass between asking for a sound and hearing it.
    var outputLatency: Double { get }

    // MARK: Life

    var isInitialized: Bool { get }
    /// The first call. The device keeps the delegate until ``terminateDevice()``.
    func initialize(with delegate: any RTCAudioDeviceDelegate) -> Bool
    /// The last call: lets the delegate go.
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

/// To whom an ``RTCAudioDevice`` gives what it records, and from whom it takes what it plays. Everything may be called
/// on any thread.
public protocol RTCAudioDeviceDelegate: AnyObject, Sendable {
    /// Takes what was recorded, of any length up to a second, and returns at once.
    ///
    /// - Parameter samples: Those of the device's channels taking turns.
    /// - Returns: Whether it has a form that can be used.
    @discardableResult
    func deliverRecordedSamples(_ samples: UnsafeBufferPointer<Int16>) -> Bool

    /// Fills a buffer with what is to be played next. Silence is where there is nothing.
    ///
    /// - Parameter samples: Those of the device's channels taking turns.
    /// - Returns: Whether there was anything.
    @discardableResult
    func getPlayoutSamples(_ samples: UnsafeMutableBufferPointer<Int16>) -> Bool

    /// How many channels recorded sound is taken to have: what the device said last.
    var inputNumberOfChannels: Int { get }

    /// What saves a conversion, in hertz.
    var preferredInputSampleRate: Double { get }
    /// What causes the least delay, in seconds.
    var preferredInputIOBufferDuration: Double { get }
    /// What saves a conversion, in hertz.
    var preferredOutputSampleRate: Double { get }
    /// What causes the least delay, in seconds.
    var preferredOutputIOBufferDuration: Double { get }

    /// Another rate, another number of channels or another latency is in effect for what is recorded.
    func notifyAudioInputParametersChange()
    /// Another rate, another number of channels or another latency is in effect for what is played.
    func notifyAudioOutputParametersChange()
    /// Recording has stopped by itself, such as for a telephone call.
    func notifyAudioInputInterrupted()
    /// Playing has stopped by itself, such as for a telephone call.
    func notifyAudioOutputInterrupted()

    /// Runs a block later on the queue on which the device is called.
    func dispatchAsync(_ block: @escaping @Sendable () -> Void)
    /// Runs a block on the queue on which the device is called, and waits for it.
    func dispatchSync(_ block: @Sendable () -> Void)
}
