/// A video effect that the system applies to a camera's frames if the person has enabled it. Some external cameras
/// support it too.
public enum CameraEffect: Sendable, Hashable, CaseIterable {
    /// Keeps people centred in the picture. The only effect that an app can enable.
    case centerStage
    /// Blurs the background.
    case portrait
    /// Lights the face, and dims the background.
    case studioLight
    /// Shows reactions such as balloons and hearts, by a gesture or by the app.
    case reactions
    /// Replaces the background.
    case backgroundReplacement

    /// The Info.plist key to set to `true` so that an iOS app that is not a calling app (`voip` in `UIBackgroundModes`)
    /// can use the effect; `nil` if none is needed.
    public var usageKey: String? {
        switch self {
        case .portrait: "NSCameraPortraitEffectEnabled"
        case .studioLight: "NSCameraStudioLightEnabled"
        case .reactions: "NSCameraReactionEffectsEnabled"
        case .centerStage, .backgroundReplacement: nil
        }
    }
}

/// The video effects of an open camera.
public struct CameraEffects: Sendable, Hashable {
    /// The effects that the camera supports in its current format.
    public var supported: Set<CameraEffect>
    /// The effects that the person has enabled for the app.
    public var enabled: Set<CameraEffect>
    /// The effects that are currently applied.
    public var active: Set<CameraEffect>

    package init(
        supported: Set<CameraEffect> = [], enabled: Set<CameraEffect> = [], active: Set<CameraEffect> = []
    ) {
        self.supported = supported
        self.enabled = enabled
        self.active = active
    }
}

/// The parties that can enable Center Stage: `AVCaptureDevice.CenterStageControlMode`.
package enum CenterStageControl: Int, Sendable, Hashable, CaseIterable {
    /// The person alone, in Control Center. The default.
    case person = 0
    /// The app alone.
    case app = 1
    /// Both: the app has to follow changes by the person.
    case both = 2
}

/// The order of the steps that switch Center Stage. Switching it raises an exception while only the person controls it.
enum CenterStageSteps {
    enum Step: Sendable, Hashable {
        case control(CenterStageControl)
        case enable(Bool)
    }

    /// - Parameters:
    ///   - isOn: `nil` gives the control back to the person, without a change.
    ///   - control: The current control mode. A mode that the app has set is kept.
    static func set(_ isOn: Bool?, control: CenterStageControl) -> [Step] {
        guard let isOn else { return control == .person ? [] : [.control(.person)] }
        return control == .person ? [.control(.both), .enable(isOn)] : [.enable(isOn)]
    }
}
