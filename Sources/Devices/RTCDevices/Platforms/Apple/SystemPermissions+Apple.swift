#if canImport(AVFoundation)
    import AVFoundation
    import Foundation
    import Photos

    /// Asks for permission through Apple's frameworks.
    struct SystemPermissions: PermissionFramework {
        func usageDescription(for key: String) -> String? {
            Bundle.main.object(forInfoDictionaryKey: key) as? String
        }

        func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status {
            switch subject {
            case .video: Self.status(AVCaptureDevice.authorizationStatus(for: .video))
            case .audio: Self.status(AVCaptureDevice.authorizationStatus(for: .audio))
            case .photoLibraryAdditions: Self.status(PHPhotoLibrary.authorizationStatus(for: .addOnly))
            }
        }

        func ask(for subject: MediaAuthorization.Subject, answered: @escaping @Sendable () -> Void) {
            switch subject {
            case .video: AVCaptureDevice.requestAccess(for: .video) { @Sendable _ in answered() }
            case .audio: AVCaptureDevice.requestAccess(for: .audio) { @Sendable _ in answered() }
            case .photoLibraryAdditions:
                PHPhotoLibrary.requestAuthorization(for: .addOnly) { @Sendable _ in answered() }
            }
        }

        func observeReturn(_ look: @escaping @Sendable () -> Void) {
            // Named by its string, so that neither UIKit nor AppKit is needed.
            #if os(macOS)
                let name = Notification.Name(rawValue: "NSApplicationDidBecomeActiveNotification")
            #else
                let name = Notification.Name(rawValue: "UIApplicationDidBecomeActiveNotification")
            #endif
            // Observed for as long as the app runs.
            _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { @Sendable _ in
                look()
            }
        }

        var settings: String {
            #if os(macOS)
                "System Settings > Privacy & Security"
            #else
                "Settings > Privacy & Security"
            #endif
        }

        private static func status(_ status: AVAuthorizationStatus) -> MediaAuthorization.Status {
            switch status {
            case .notDetermined: .notDetermined
            case .restricted: .restricted
            case .denied: .denied
            case .authorized: .authorized
            @unknown default: .restricted
            }
        }

        private static func status(_ status: PHAuthorizationStatus) -> MediaAuthorization.Status {
            switch status {
            case .notDetermined: .notDetermined
            case .restricted: .restricted
            case .denied: .denied
            // An app with access to a part of the library only may still add to it.
            case .authorized, .limited: .authorized
            @unknown default: .restricted
            }
        }
    }
#endif
