import ArgumentParser

extension Option {
    /// An option that the environment may have too, as its help says: `--apns-key` is also in `DUET_APNS_KEY`.
    ///
    /// - Parameters:
    ///   - name: The name, without the hyphens before it.
    ///   - value: The name of the value in the help.
    init<T: ExpressibleByArgument>(_ name: String, value: String, _ help: String) where Value == T? {
        let variable = "DUET_" + name.uppercased().replacing("-", with: "_")
        self.init(name: .customLong(name), help: ArgumentHelp("\(help) Also in \(variable).", valueName: value))
    }
}

extension [String: String] {
    /// The value of a variable of the environment; `nil` if there is none, or an empty one.
    func value(of variable: String) -> String? {
        self[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
}
