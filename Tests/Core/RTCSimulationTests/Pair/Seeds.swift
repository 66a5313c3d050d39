import Foundation

/// The seeds that scenarios are run with: 1 to 50, or to `DUET_SEEDS` from the environment.
enum Seeds {
    static let count = ProcessInfo.processInfo.environment["DUET_SEEDS"].flatMap { Int($0) } ?? 50
    static let all: [UInt64] = (1...UInt64(max(1, count))).map { $0 }
    /// The first few, for scenarios whose outcome hardly depends on luck.
    static let few = Array(all.prefix(max(3, count / 10)))
}
