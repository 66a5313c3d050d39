package import RTC

extension CallQuality {
    /// `{"event":"quality", …}`
    package var event: JSONValue {
        .event("quality", ["level": "\(level)", "reason": reason?.rawValue])
    }

    /// `poor: your network`
    var text: String { reason.map { "\(level): \($0.text)" } ?? "\(level)" }

    /// A line for when it has changed.
    var line: String { "The call is \(text)." }
}

extension CallQuality.Reason {
    fileprivate var text: String {
        switch self {
        case .myNetwork: "your network"
        case .theirNetwork: "their network"
        case .myProcessor: "this device is too slow"
        case .theirProcessor: "their device is too slow"
        }
    }
}
