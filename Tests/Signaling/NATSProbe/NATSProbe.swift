import NATS
import NATSConformance

/// Does one thing with a NATS server, and writes down what happens, in lines of JSON: for tests that start, kill and configure the
/// server.
@main
struct NATSProbe {
    static func main() async {
        do {
            let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
            switch arguments.command {
            case "connect": try await connect(arguments)
            case "conformance": try await conformance(arguments)
            case "client": try await client(arguments)
            case "count": try await count(arguments)
            case "watch": try await watch(arguments)
            case "subscribe": try await subscribe(arguments)
            default: Line("error").add("message", "no such command").write()
            }
        } catch {
            Line("error").add("code", (error as? NATSError).map { "\($0.code)" } ?? "").add("message", "\(error)")
                .write()
        }
    }

    /// Connects, says to whom, and leaves.
    private static func connect(_ arguments: Arguments) async throws {
        let client = try NATSClient(arguments.configuration)
        try await client.connect()
        let server = await client.server
        Line("connected").add("version", server?.version ?? "").add("name", server?.serverName ?? "").write()
        await client.close()
    }

    /// Every rule of a key-value store, each in a bucket of its own.
    private static func conformance(_ arguments: Arguments) async throws {
        for (number, rule) in ConformanceCase.all.enumerated() {
            var bucket = arguments
            bucket.bucket = "rule-\(number)"
            let name = bucket
            await report(rule.name) {
                try await rule.run { try await name.open().bucket }
            }
        }
        Line("done").write()
    }

    /// What the client promises beside that.
    private static func client(_ arguments: Arguments) async throws {
        for rule in ClientCase.all { await report(rule.name) { try await rule.run(arguments) } }
        Line("done").write()
    }

    private static func report(_ name: String, _ body: () async throws -> Void) async {
        do {
            try await body()
            Line("passed").add("case", name).write()
        } catch {
            Line("failed").add("case", name).add("why", "\(error)").write()
        }
    }

    /// Adds one to the own number in a value that several such programs share, `--goal` times, whatever happens to the servers.
    private static func count(_ arguments: Arguments) async throws {
        let (client, bucket) = try await arguments.open()
        let key = try KeyValueKey("numbers")
        var (failures, unknown, conflicts) = (0, 0, 0)
        func pause(_ error: NATSError) async throws {
            failures += 1
            if error.isOutcomeUnknown { unknown += 1 }
            if case .closed = error.code { throw error }
            try await Task.sleep(for: .milliseconds(50))
        }
        while true {
            let entry: KeyValueEntry?
            do {
                entry = try await bucket.get(key)
            } catch {
                try await pause(error)
                continue
            }
            var numbers = Numbers(entry)
            let own = numbers[arguments.writer]
            if own >= arguments.goal { break }
            numbers[arguments.writer] = own + 1
            do {
                _ = try await bucket.update(key, numbers.bytes, revision: entry?.revision ?? 0)
            } catch {
                if error.code == .wrongLastSequence { conflicts += 1 } else { try await pause(error) }
            }
        }
        Line("counted").add("failures", failures).add("unknown", unknown).add("conflicts", conflicts).write()
        await client.close()
    }

    /// Each change of a bucket, and each event of the connection, for ever.
    private static func watch(_ arguments: Arguments) async throws {
        let (client, bucket) = try await arguments.open()
        writeEvents(of: client)
        for try await change in try await bucket.watch(.all, includesExisting: true, heartbeat: .milliseconds(500)) {
            switch change {
            case .caughtUp: Line("caughtUp").write()
            case .entry(let entry):
                Line("entry").add("key", entry.key.text).add("value", String(decoding: entry.value, as: UTF8.self))
                    .add("revision", Int(entry.revision)).add("operation", "\(entry.operation)").write()
            }
        }
        Line("ended").write()
    }

    /// What a subscription receives, for ever.
    private static func subscribe(_ arguments: Arguments) async throws {
        let client = try NATSClient(arguments.configuration)
        try await client.connect()
        writeEvents(of: client)
        let subscription = try await client.subscribe(NATSSubjectFilter(arguments.subject))
        try await client.flush()
        Line("subscribed").write()
        for try await delivery in subscription {
            switch delivery {
            case .message(let message):
                Line("message").add("subject", message.subject.text)
                    .add("payload", String(decoding: message.payload, as: UTF8.self)).write()
            case .lost(let loss): Line("lost").add("why", "\(loss)").write()
            }
        }
        Line("ended").write()
    }

    private static func writeEvents(of client: NATSClient) {
        Task {
            for await event in await client.events() {
                switch event {
                case .connected(let server, let info):
                    Line("connected").add("to", "\(server)").add("name", info.serverName).write()
                case .disconnected(let error): Line("disconnected").add("code", "\(error.code)").write()
                case .lameDuck: Line("lameDuck").write()
                case .serverError(let text): Line("serverError").add("message", text).write()
                case .closed(let error): Line("closed").add("code", error.map { "\($0.code)" } ?? "").write()
                }
            }
        }
    }
}

/// Numbers by the names of their writers, as text: `a=1,b=2`.
struct Numbers {
    private var values: [String: Int] = [:]

    init(_ entry: KeyValueEntry?) {
        for part in String(decoding: entry?.value ?? [], as: UTF8.self).split(separator: ",") {
            let sides = part.split(separator: "=")
            if sides.count == 2 { values[String(sides[0])] = Int(sides[1]) }
        }
    }

    subscript(name: String) -> Int {
        get { values[name] ?? 0 }
        set { values[name] = newValue }
    }

    var bytes: [UInt8] {
        Array(values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",").utf8)
    }
}
