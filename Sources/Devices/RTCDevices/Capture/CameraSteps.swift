/// The order of the steps that configure a capture session.
///
/// A session that starts resets the camera's format to that of its own preset, unless the camera is locked meanwhile:
/// so the format is set and the session started under one lock.
enum CameraSteps {
    enum Step: Sendable, Hashable {
        case beginConfiguration
        case addInput
        case addOutput
        case addPhotoOutput
        /// Choose the output's pixel format.
        case choosePixels
        /// Deliver frames as the sensor captures them: the frame carries its rotation, and the view mirrors. Front
        /// cameras of newer iPads are rotated by 180° by default, which the angles of their rotation coordinator do not
        /// include.
        case deliverUnrotated
        /// Capture goes on while the app shares the screen with another one.
        case allowMultitasking
        case usePreset(CapturePreset)
        case commitConfiguration
        /// If another app holds the lock, the steps that need it are skipped.
        case lock
        case useFormat
        case useRate
        case startRunning
        case unlock
    }

    /// - Parameters:
    ///   - preset: The system's preset for the size, if the camera and the session support it.
    ///   - wantsFormat: Whether a size and a frame rate are requested.
    static func setUp(preset: CapturePreset?, wantsFormat: Bool) -> [Step] {
        var steps: [Step] = [
            .beginConfiguration, .addInput, .addOutput, .choosePixels, .deliverUnrotated, .allowMultitasking,
        ]
        if let preset { steps.append(.usePreset(preset)) }
        steps.append(.commitConfiguration)
        return steps + within(lock: format(preset: preset, wantsFormat: wantsFormat))
    }

    /// Adds the photo output to a running session.
    static func addPhotos(preset: CapturePreset?, wantsFormat: Bool, isFormatKept: Bool = true) -> [Step] {
        [.beginConfiguration, .addPhotoOutput]
            + endChange(preset: preset, wantsFormat: wantsFormat, isFormatKept: isFormatKept)
    }

    /// The steps that follow ``Step/beginConfiguration`` and a change of the session, made by the app or for it.
    /// Committing resets the camera's format to that of the preset, as starting does.
    ///
    /// - Parameter isFormatKept: Whether the camera still has the format from before; a format that the app has chosen
    ///   meanwhile is kept.
    static func endChange(preset: CapturePreset?, wantsFormat: Bool, isFormatKept: Bool = true) -> [Step] {
        if !isFormatKept { return within(lock: [.commitConfiguration]) }
        let format = format(preset: preset, wantsFormat: wantsFormat)
        return format.isEmpty ? [.commitConfiguration] : within(lock: [.commitConfiguration] + format)
    }

    /// - Parameter isFormatApps: Whether the app itself has chosen the camera's format since: starting must not change
    ///   it.
    static func start(preset: CapturePreset?, wantsFormat: Bool, isFormatApps: Bool = false) -> [Step] {
        if isFormatApps { return within(lock: [.startRunning]) }
        let format = format(preset: preset, wantsFormat: wantsFormat)
        return format.isEmpty ? [.startRunning] : within(lock: format + [.startRunning])
    }

    private static func format(preset: CapturePreset?, wantsFormat: Bool) -> [Step] {
        guard wantsFormat else { return [] }
        return preset == nil ? [.useFormat, .useRate] : [.useRate]
    }

    private static func within(lock steps: [Step]) -> [Step] { steps.isEmpty ? [] : [.lock] + steps + [.unlock] }
}
