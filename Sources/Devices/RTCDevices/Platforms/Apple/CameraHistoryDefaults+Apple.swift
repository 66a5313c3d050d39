#if canImport(AVFoundation)
    import Foundation

    /// Stores a ``CameraHistory`` in the app's user defaults.
    public struct CameraHistoryDefaults: CameraHistoryStore {
        private let key: String

        public init(key: String = "duet.cameras") {
            self.key = key
        }

        public func load() -> CameraHistory? {
            UserDefaults.standard.string(forKey: key).map { CameraHistory(text: $0) }
        }

        public func save(_ history: CameraHistory) { UserDefaults.standard.set(history.text, forKey: key) }
    }
#endif
