/// In which order a capture session is told what a camera is to deliver.
///
/// A session that starts makes the camera's format its own preset's again, unless the camera is locked meanwhile: so format and
/// start are one, within the lock.
enum CameraSteps {
    enum Step: Sendable, Hashable {
        case beginConfiguration
        case addInput
        case addOutput
        /// Where the output makes what is wanted of the camera's pixels.
        case choosePixels
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
        var steps: [Step] = [.beginConfiguration, .addInput, .addOutput, .choosePixels, .allowMultitasking]
        if let preset { steps.append(.usePreset(preset)) }
        steps.append(.commitConfiguration)
        return steps + within(lock: format(preset: preset, wantsFormat: wantsFormat))
    }

    static func start(preset: CapturePreset?, wantsFormat: Bool) -> [Step] {
        let format = format(preset: preset, wantsFormat: wantsFormat)
        return format.isEmpty ? [.startRunning] : within(lock: format + [.startRunning])
    }

    private static func format(preset: CapturePreset?, wantsFormat: Bool) -> [Step] {
        guard wantsFormat else { return [] }
        return preset == nil ? [.useFormat, .useRate] : [.useRate]
    }

    private static func within(lock steps: [Step]) -> [Step] { steps.isEmpty ? [] : [.lock] + steps + [.unlock] }
}
