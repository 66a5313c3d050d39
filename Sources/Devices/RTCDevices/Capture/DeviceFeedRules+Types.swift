import RTCWire

extension DeviceFeedRules {
    struct Times: Sendable, Hashable {
        /// The time within which an open camera or microphone must deliver something. It has twice the time when it is
        /// reopened because it did not: some devices are slow.
        var firstData = TimeDelta.seconds(5)
        /// A device that stops working again within this time after it was reopened is given up for the next one.
        var probation = TimeDelta.seconds(10)
        /// The time until the first retry while no device works.
        var firstRetry = TimeDelta.seconds(1)
        var longestRetry = TimeDelta.seconds(30)
    }

    /// The number of one opening of a device: what earlier ones deliver or report is ignored.
    typealias Generation = Int

    enum Input: Sendable {
        case start
        case stop
        /// Open the device again, for instance with another format.
        case reopen
        /// The candidates may have changed.
        case candidatesChanged
        /// Carries out ``Decision/proceed``.
        case proceed
        case opened(Generation)
        case openingFailed(Generation, DeviceError)
        /// Capture has been started after ``Decision/startCapture(_:)``.
        case captureStarted(Generation)
        case closed(Generation)
        case event(CaptureEvent, Generation)
        /// ``nextDeadline`` may have passed.
        ///
        /// - Parameter isPaused: Whether the app itself keeps the open device from delivering anything at present.
        case timePassed(isPaused: Bool)
    }

    enum Decision: Sendable, Hashable {
        /// Pass ``Input/proceed`` soon, in a task of its own: what is undone by then opens and closes nothing.
        case proceed
        case open(MediaDevice, Generation)
        case startCapture(Generation)
        /// Stop capture and close the device.
        case close(Generation)
        case report(DeviceFeedEvent)
    }
}
