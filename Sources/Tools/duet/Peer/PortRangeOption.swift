import ArgumentParser

/// `--port-range A-B`
enum PortRangeOption {
    static func parse(_ text: String) throws -> ClosedRange<UInt16> {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first > 0, first <= last else {
            throw ValidationError("“\(text)” is not a range of ports such as 50000-50100")
        }
        return first...last
    }
}
