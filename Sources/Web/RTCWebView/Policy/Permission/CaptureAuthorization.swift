/// The status of the app's own permission to use a device.
///
/// The names are those of `AVAuthorizationStatus`.
public enum CaptureAuthorizationStatus: Sendable, Hashable {
    /// The person has not been asked yet.
    case notDetermined
    /// The person cannot grant the permission: parental controls, or an administrator.
    case restricted
    case denied
    case authorized
    /// The permission cannot be requested, because the app's Info.plist lacks a usage description. The text is for the
    /// developer.
    case misconfigured(String)
}

/// The permission requests before a page is loaded: first the microphone, then the camera, then the page.
///
/// ```
/// microphone ──granted──▶ camera ──granted──▶ load
///     └──────refused────────┴──refused──▶ explain, or load anyway
/// ```
///
/// It is a value without a clock: poll the next step, and report its result.
package struct CaptureAuthorization: Sendable, Hashable {
    /// The next step.
    package enum Step: Sendable, Hashable {
        /// Request this permission.
        case request(CaptureKind)
        /// Load the page, unless another one was loaded meanwhile.
        case load
        /// Load nothing, and explain which permissions are denied.
        case explain([RefusedCapture])
    }

    /// A device that the app may not use.
    package struct RefusedCapture: Sendable, Hashable {
        package let kind: CaptureKind
        /// Whether the person cannot change it.
        package let isRestricted: Bool
        /// The error of the app for its developer; `nil` if the person or the system denied the permission.
        package let fault: String?

        init(kind: CaptureKind, isRestricted: Bool = false, fault: String? = nil) {
            self.kind = kind
            self.isRestricted = isRestricted
            self.fault = fault
        }
    }

    private let kinds: [CaptureKind]
    private let loadsAnyway: Bool
    private var known: [CaptureKind: CaptureAuthorizationStatus] = [:]

    /// Creates the sequence of requests.
    ///
    /// - Parameters:
    ///   - kinds: The devices that the page needs.
    ///   - loadsAnyway: Whether the page is loaded although a permission is denied; `getUserMedia` then throws the
    ///     standard's error.
    package init(for kinds: Set<CaptureKind> = [.microphone, .camera], loadsAnyway: Bool = false) {
        self.kinds = [CaptureKind.microphone, .camera].filter(kinds.contains)
        self.loadsAnyway = loadsAnyway
    }

    /// Reports the status of a permission, before or after the person was asked.
    package mutating func noteAuthorization(_ authorization: CaptureAuthorizationStatus, of kind: CaptureKind) {
        known[kind] = authorization
    }

    /// Returns whether a permission is known to be granted.
    package func isAuthorized(_ kind: CaptureKind) -> Bool { known[kind] == .authorized }

    package var next: Step {
        var refused: [RefusedCapture] = []
        for kind in kinds {
            switch known[kind] ?? .notDetermined {
            case .authorized: break
            case .notDetermined:
                // If the microphone was denied, the camera is not requested, since the page would not be loaded anyway.
                if refused.isEmpty || loadsAnyway { return .request(kind) }
            case .denied: refused.append(RefusedCapture(kind: kind))
            case .restricted: refused.append(RefusedCapture(kind: kind, isRestricted: true))
            case .misconfigured(let fault): refused.append(RefusedCapture(kind: kind, fault: fault))
            }
        }
        return refused.isEmpty || loadsAnyway ? .load : .explain(refused)
    }
}
