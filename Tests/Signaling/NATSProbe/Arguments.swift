import NATS

struct Arguments: Sendable {
    var command = ""
    var configuration = NATSClient.Configuration(servers: [])
    var bucket = "bucket"
    var replicas = 1
    var storage = KeyValueConfiguration.Storage.file
    var writer = "a"
    var goal = 10
    var subject = ">"

    struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    init(_ words: [String]) throws {
        var rest = words[...]
        command = rest.popFirst() ?? ""
        var user = ""
        configuration.connectTimeout = .seconds(3)
        configuration.pingInterval = .seconds(2)
        while let option = rest.popFirst() {
            if option == "--tls-first" {
                configuration.tls?.isHandshakeFirst = true
                continue
            }
            guard let value = rest.popFirst() else { throw Wrong(description: "\(option) has no value") }
            switch option {
            case "--server": configuration.servers.append(try NATSServer(value))
            case "--user": user = value
            case "--password": configuration.credentials = .password(user: user, password: value)
            case "--token": configuration.credentials = .token(value)
            case "--ca": configuration.tls = NATSClient.TLS(trust: .file(value))
            case "--name": configuration.tls?.serverName = value
            case "--limit": configuration.maximumPayload = Int(value) ?? 0
            case "--bucket": bucket = value
            case "--replicas": replicas = Int(value) ?? 1
            case "--storage": storage = value == "memory" ? .memory : .file
            case "--writer": writer = value
            case "--goal": goal = Int(value) ?? 0
            case "--subject": subject = value
            default: throw Wrong(description: "there is no option \(option)")
            }
        }
    }

    /// Waits for a server that is being started again: later losses are the client's matter, the first connection is not.
    private func connected() async throws -> NATSClient {
        var tries = 0
        while true {
            let client = try NATSClient(configuration)
            do throws(NATSError) {
                try await client.connect()
                return client
            } catch {
                tries += 1
                guard error.code == .unreachable, tries < 100 else { throw error }
            }
            await client.close()
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// A client of its own, and the bucket. Servers of a cluster need a while before they can create one.
    func open() async throws -> (client: NATSClient, bucket: KeyValueBucket) {
        let client = try await connected()
        var wanted = KeyValueConfiguration(name: try KeyValueBucketName(bucket))
        wanted.replicas = replicas
        wanted.storage = storage
        var tries = 0
        while true {
            do throws(NATSError) {
                return (client, try await KeyValueBucket.create(wanted, on: client, timeout: .seconds(2)))
            } catch {
                tries += 1
                if case .jetStream(let refusal) = error.code, refusal.code == 400 { throw error }
                if error.code == .unsuitableServer { throw error }
                if tries == 40 { throw error }
            }
            try await Task.sleep(for: .milliseconds(250))
        }
    }
}
