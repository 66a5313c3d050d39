/// What the system does to a camera's pictures before an app gets them, if the person wants it. External cameras have some of it too.
public enum CameraEffect: Sendable, Hashable, CaseIterable {
    /// Keeps those who are seen in the middle of the picture. The only one that an app may switch.
    case centerStage
    /// Blurs what is behind the person.
    case portrait
    /// Lights up the face.
    case studioLight
    /// Balloons, hearts and the like, by a gesture or by the app.
    case reactions
    /// Another picture behind the person.
    case backgroundReplacement

    /// What Info.plist of an app for iOS says `true` to, to have the effect without being a calling app (`voip` among its
    /// `UIBackgroundModes`); `nil` for what needs nothing.
    public var usageKey: String? {
        switch self {
        case .portrait: "NSCameraPortraitEffectEnabled"
        case .studioLight: "NSCameraStudioLightEnabled"
        case .reactions: "NSCameraReactionEffectsEnabled"
        case .centerStage, .backgroundReplacement: nil
        }
    }
}

/// The effects of a camera that is open.
public struct CameraEffects: Sendable, Hashable {
    /// What the camera can in its format.
    public var supported: Set<CameraEffect>
    /// What the person has switched on for the app.
    public var enabled: Set<CameraEffect>
    /// What is seen in the pictures now.
    public var active: Set<CameraEffect>

    public init(
        supported: Set<CameraEffect> = [], enabled: Set<CameraEffect> = [], active: Set<CameraEffect> = []
    ) {
        self.supported = supported
        self.enabled = enabled
        self.active = active
    }
}

/// Who switches Center Stage.
public enum CenterStageControl: Int, Sendable, Hashable, CaseIterable {
    /// The person alone, in the Control Center. It is so until an app says otherwise.
    case person = 0
    /// The app alone.
    case app = 1
    /// Both: the app has to follow what the person does.
    case both = 2
}

/// In which order Center Stage is switched. While it is the person's alone, switching it raises an exception.
enum CenterStageSteps {
    enum Step: Sendable, Hashable {
        case control(CenterStageControl)
        case enable(Bool)
    }

    /// - Parameters:
    ///   - isOn: `nil` leaves it to the person again, as it is.
    ///   - control: Whose it is now. What the app has taken for itself stays so.
    static func set(_ isOn: Bool?, control: CenterStageControl) -> [Step] {
        guard let isOn else { return control == .person ? [] : [.control(.person)] }
        return control == .person ? [.control(.both), .enable(isOn)] : [.enable(isOn)]
    }
}
