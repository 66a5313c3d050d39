import Foundation

/// Whether tests of media print what they measured: `DUET_MEDIA_REPORT=1`.
enum MediaReport {
    static let isWanted = ProcessInfo.processInfo.environment["DUET_MEDIA_REPORT"] != nil
}
