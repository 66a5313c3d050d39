/// In which order a capture session is told what a camera is to deliver.
///
/// A session that starts makes the camera's format its own preset's again, unless the camera is locked meanwhile: so format and
/// start are one, within the lock.
enum CameraSteps {
    enum Step: Sendable, Hashable {
        case beginConfiguration
        case addInput
        case addOutput
        case addPhotoOutput
        /// Where the output makes what is wanted of the camera's pixels.
        case choosePixels
        /// Pictures come as the sensor has them; the frame says how they are turned, and the view mirrors. Front cameras of newer iPads
        /// are turned by 180° by default, which their coordinator's angles know nothing of.
        case deliverUnturned
        /// Where a call goes on beside another app.
        case allowMultitasking
        case usePreset(CapturePreset)
        case commitConfiguration
        /// What needs the lock is left out where another app has it.
        case lock
        case useFormat
        case useRate
        case startRunning
        case unlock
    }

    /// - Parameters:
    ///   - preset: The size that the system has a name for, if the camera and the session have it.
    ///   - wantsFormat: Whether size and rate are asked for.
    static func setUp(preset: CapturePreset?, wantsFormat: Bool) -> [Step] {
        var steps: [Step] = [
            .beginConfiguration, .addInput, .addOutput, .choosePixels, .deliverUnturned, .allowMultitasking,
        ]
        if let preset { steps.append(.usePreset(preset)) }
        steps.append(.commitConfiguration)
        return steps + within(lock: format(preset: preset, wantsFormat: wantsFormat))
    }

    /// A session that runs takes photos too, from now on.
    static func addPhotos(preset: CapturePreset?, wantsFormat: Bool, isFormatKept: Bool = true) -> [Step] {
        [.beginConfiguration, .addPhotoOutput]
            + endChange(preset: preset, wantsFormat: wantsFormat, isFormatKept: isFormatKept)
    }

    /// What is left to do after ``Step/beginConfiguration`` and a change of the session, by the app or for it. Committing makes the
    /// camera's format the preset's again, as starting does.
    ///
    /// - Parameter isFormatKept: Whether the camera's format is still the one from before; one that the app has chosen meanwhile
    ///   holds.
    static func endChange(preset: CapturePreset?, wantsFormat: Bool, isFormatKept: Bool = true) -> [Step] {
        if !isFormatKept { return within(lock: [.commitConfiguration]) }
        let format = format(preset: preset, wantsFormat: wantsFormat)
        return format.isEmpty ? [.commitConfiguration] : within(lock: [.commitConfiguration] + format)
    }

    /// - Parameter isFormatApps: Whether the app has chosen the camera's format itself since: starting is not to change it.
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
