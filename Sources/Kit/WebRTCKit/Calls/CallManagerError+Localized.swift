public import Foundation

extension CallManagerError: LocalizedError {
    /// The ``description``, which `localizedDescription` gives, too.
    public var errorDescription: String? { description }
}
