package import RTCWire

/// Smooths the time that a device takes to play audio, measured at each buffer of about 10 ms.
///
/// The level of a device's buffer sways, and video that followed it would stutter. So the value is an average over about
/// half a second; but a time that is another one for a fifth of a second is that of another device, and taken at once.
package struct PlayoutDelayMeter: Sendable {
    /// `nil` before the first measurement.
    package private(set) var delay: TimeDelta?
    /// The number of measurements in a row that are far from ``delay``.
    private var distant = 0

    /// Longer times are errors of a device.
    private static let longest = TimeDelta.seconds(2)
    private static let far = TimeDelta.milliseconds(30)
    private static let patience = 20
    private static let smoothing: Int64 = 64

    package init() {}

    package mutating func note(_ measured: TimeDelta) {
        let measured = min(max(measured, .zero), Self.longest)
        guard let delay else {
            self.delay = measured
            return
        }
        let difference = measured - delay
        guard max(difference, .zero - difference) >= Self.far else {
            distant = 0
            self.delay = delay + difference / Self.smoothing
            return
        }
        distant += 1
        guard distant >= Self.patience else { return }
        distant = 0
        self.delay = measured
    }
}
