/// What the system says of the app's own permission to use a device.
///
/// The names are AVFoundation's: `AVAuthorizationStatus`.
public enum CaptureAuthorizationStatus: Sendable, Hashable {
    /// The person was never asked.
    case notDetermined
    /// The person cannot decide it: parental controls, or an administrator.
    case restricted
    case denied
    case authorized
    /// The system cannot even be asked, by a fault of the app's which no person can mend: its Info.plist does not say what the device
    /// is for. The text is for its developer.
    case misconfigured(String)
}

/// The order in which a page that uses camera and microphone comes to be loaded: the microphone is asked for, then the camera,
/// and once both are granted the page is loaded.
///
/// ```
/// microphone ──granted──▶ camera ──granted──▶ load
///     └──────refused────────┴──refused──▶ explain, or load anyway
/// ```
///
/// A value without a clock and without a system: what it wants is polled, and what came of it is told to it.
public struct CaptureAuthorization: Sendable, Hashable {
    /// What is to be done next.
    public enum Step: Sendable, Hashable {
        /// Ask the system for this.
        case request(CaptureKind)
        /// Load the page, unless something is loaded already.
        case load
        /// Load nothing, and say why: these are refused.
        case explain([RefusedCapture])
    }

    /// A device that the person or the system refuses to the app.
    public struct RefusedCapture: Sendable, Hashable {
        public let kind: CaptureKind
        /// Whether a person could change it.
        public let isRestricted: Bool
        /// What the app's developer has to mend, where neither a person nor the system has refused anything.
        public let fault: String?

        init(kind: CaptureKind, isRestricted: Bool = false, fault: String? = nil) {
            self.kind = kind
            self.isRestricted = isRestricted
            self.fault = fault
        }
    }

    private let kinds: [CaptureKind]
    private let loadsAnyway: Bool
    private var known: [CaptureKind: CaptureAuthorizationStatus] = [:]

    /// - Parameters:
    ///   - kinds: What the page needs; the order is always the microphone first.
    ///   - loadsAnyway: Whether the page is loaded after a refusal, too; it then gets the error that the standard has for it.
    public init(for kinds: Set<CaptureKind> = [.microphone, .camera], loadsAnyway: Bool = false) {
        self.kinds = [CaptureKind.microphone, .camera].filter(kinds.contains)
        self.loadsAnyway = loadsAnyway
    }

    /// What the system said of a device, before or after the person was asked.
    public mutating func learned(_ authorization: CaptureAuthorizationStatus, of kind: CaptureKind) {
        known[kind] = authorization
    }

    /// Whether the system granted a device to the app, as far as it has been learned.
    public func isAuthorized(_ kind: CaptureKind) -> Bool { known[kind] == .authorized }

    public var next: Step {
        var refused: [RefusedCapture] = []
        for kind in kinds {
            switch known[kind] ?? .notDetermined {
            case .authorized: break
            case .notDetermined:
                // After a refusal of the microphone nobody is asked about the camera: the page would not be loaded anyhow.
                if refused.isEmpty || loadsAnyway { return .request(kind) }
            case .denied: refused.append(RefusedCapture(kind: kind))
            case .restricted: refused.append(RefusedCapture(kind: kind, isRestricted: true))
            case .misconfigured(let fault): refused.append(RefusedCapture(kind: kind, fault: fault))
            }
        }
        return refused.isEmpty || loadsAnyway ? .load : .explain(refused)
    }
}
