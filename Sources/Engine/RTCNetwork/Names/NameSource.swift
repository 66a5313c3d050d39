internal import Dispatch
package import RTCWire
internal import Synchronization

/// Resolves names to addresses.
package protocol NameSource: Sendable {
    /// Queries AAAA or A, and calls `completion` once, on any thread, at any time.
    func ask(
        _ host: String, wantsIPv6: Bool, _ completion: @escaping @Sendable (AddressLookup.Answer) -> Void)
}

/// Resolves mDNS names (RFC 6762) where the system's resolver does not.
package protocol MulticastNameSource: Sendable {
    /// Queries the addresses of a name of the form `<label>.local`, and calls `completion` once, on any thread.
    func resolve(_ host: String, _ completion: @escaping @Sendable (Result<[IPAddress], ResolutionError>) -> Void)
}

/// The system's resolver: files, name servers, and on Apple platforms the network's NAT64.
package struct SystemNameSource: NameSource {
    /// The most queries per process in progress. Each blocks a thread until the system gives up.
    private static let maximumQuestions = 64
    private static let questions = Mutex(0)

    package init() {}

    package func ask(
        _ host: String, wantsIPv6: Bool, _ completion: @escaping @Sendable (AddressLookup.Answer) -> Void
    ) {
        let isAdmitted = Self.questions.withLock { questions in
            guard questions < Self.maximumQuestions else { return false }
            questions += 1
            return true
        }
        guard isAdmitted else { return completion(.noServer) }
        // The call blocks and cannot be cancelled. Each uses a queue, and so a thread, of its own: a dead name server
        // must not delay other queries, as it would in a small thread pool.
        DispatchQueue(label: "duet.lookup").async {
            let answer = Self.look(up: host, family: wantsIPv6 ? AF_INET6 : AF_INET)
            Self.questions.withLock { $0 -= 1 }
            completion(answer)
        }
    }

    /// Queries the system, and blocks.
    private static func look(up host: String, family: CInt) -> AddressLookup.Answer {
        var hints = addrinfo()
        hints.ai_family = family
        hints.ai_socktype = addrinfo.datagramSocketType
        var list: UnsafeMutablePointer<addrinfo>?
        switch getaddrinfo(host, nil, &hints, &list) {
        case 0: break
        case EAI_AGAIN, EAI_FAIL, EAI_SYSTEM, EAI_MEMORY: return .noServer
        default: return .notFound
        }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = list
        while let entry = next?.pointee, addresses.count < 16 {
            next = entry.ai_next
            guard let address = entry.ai_addr,
                let ip = TransportAddress(address, length: Int(entry.ai_addrlen))?.ip, !addresses.contains(ip)
            else { continue }
            addresses.append(ip)
        }
        return addresses.isEmpty ? .notFound : .addresses(addresses)
    }
}

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif
