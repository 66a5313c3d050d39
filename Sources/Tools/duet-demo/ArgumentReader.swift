import DuetShell

/// Reads the arguments of a command line from left to right: `--name value`, `--name=value`, and others.
///
/// The demo has a dozen options: a library for them would take longer to compile than the demo.
struct ArgumentReader {
    private var rest: ArraySlice<String>
    private var option = ""
    /// The value of `--name=value`, until it is read.
    private var attached: String?

    init(_ arguments: [String]) {
        rest = arguments[...]
    }

    /// Skips the name of a command.
    mutating func skip() {
        rest = rest.dropFirst()
    }

    /// The next option, without its value, or the next argument that is none; `nil` at the end.
    mutating func next() throws(Refusal) -> String? {
        guard attached == nil else { throw Refusal("\(option) takes no value") }
        guard let argument = rest.popFirst() else { return nil }
        guard argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") else {
            option = argument
            return argument
        }
        option = String(argument[..<sign])
        attached = String(argument[argument.index(after: sign)...])
        return option
    }

    /// The value of the option that was read last.
    mutating func value() throws(Refusal) -> String {
        if let value = attached {
            attached = nil
            return value
        }
        guard let value = rest.popFirst() else { throw Refusal("\(option) needs a value") }
        return value
    }

    /// The value of `--log`.
    mutating func logLevel() throws(Refusal) -> LogLevel {
        let text = try value()
        guard let level = LogLevel(rawValue: text) else {
            let known = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal("--log \(text): there is no such level; there are \(known)")
        }
        return level
    }

    /// The error for an argument that no command knows.
    static func unknown(_ argument: String) -> Refusal {
        Refusal("\(argument): there is no such option, see --help")
    }
}
