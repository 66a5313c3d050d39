public import RTCWire

/// Assigns datagrams to ICE agents that share one UDP port, as a value without sockets and without a clock.
///
/// - A check identifies its agent itself: its USERNAME begins with the agent's user name fragment (RFC 8445, section
///   7.2.2). So a peer is recognised at any address, also when a NAT changes its port during a call.
/// - A response belongs to the agent that sent the request of its transaction.
/// - Everything else is assigned by the source address of earlier checks or responses. If several agents had checks
///   from one address, each is offered the datagram, and its keys decide; so a forged check from another peer's address
///   cannot take its datagrams away.
///
/// The state is bounded for each agent: unauthenticated senders cannot fill the tables, and a sender that knows an
/// agent's fragment can only displace unvalidated paths.
@usableFromInline package struct ICEDemultiplexer {
    /// The owner's number of an agent.
    @usableFromInline package struct AgentID: Hashable, Sendable {
        @usableFromInline package var rawValue: UInt32

        @usableFromInline package init(_ rawValue: UInt32) {
            self.rawValue = rawValue
        }
    }

    @usableFromInline package enum Destination: Hashable, Sendable {
        /// No agent's: drop it.
        case nobody
        case agent(AgentID)
        /// May belong to any of these.
        case oneOf([AgentID])
    }

    /// Paths of one agent that are remembered, and transactions.
    @usableFromInline package static var maximumPaths: Int { 16 }
    @usableFromInline package static var maximumTransactions: Int { 64 }
    /// Agents that share one path.
    @usableFromInline package static var maximumAgentsPerPath: Int { 4 }

    private struct Agent {
        var fragments: [String] = []
        /// The most recently claimed path is last.
        var paths: [TransportPath] = []
        var transactions = RingBuffer<STUNTransactionID>()
    }

    private struct Claim {
        let agent: AgentID
        var isProved: Bool
    }

    private var agents: [AgentID: Agent] = [:]
    private var fragments: [String: AgentID] = [:]
    private var claims: [TransportPath: [Claim]] = [:]
    private var transactions: [STUNTransactionID: AgentID] = [:]
    /// Datagrams for no agent.
    @usableFromInline package private(set) var strayCount: UInt64 = 0

    @usableFromInline package init() {}

    /// Paths and transactions that are remembered, of all agents.
    @usableFromInline package var pathCount: Int { claims.count }
    @usableFromInline package var transactionCount: Int { transactions.count }
    @usableFromInline package var agentCount: Int { agents.count }

    // MARK: Agents

    /// Names the fragments that checks for an agent may carry: those of the present generation, of the one before, and of
    /// one that is on offer.
    @usableFromInline package mutating func setFragments(_ new: [String], of id: AgentID) {
        for old in agents[id]?.fragments ?? [] where !new.contains(old) && fragments[old] == id { fragments[old] = nil }
        agents[id, default: Agent()].fragments = new
        for fragment in new { fragments[fragment] = id }
    }

    /// Forgets an agent, and all that was for it.
    @usableFromInline package mutating func remove(_ id: AgentID) {
        guard let agent = agents.removeValue(forKey: id) else { return }
        for fragment in agent.fragments where fragments[fragment] == id { fragments[fragment] = nil }
        for path in agent.paths { withdraw(id, from: path) }
        for offset in 0..<agent.transactions.count {
            let transaction = agent.transactions[offset]
            if transactions[transaction] == id { transactions[transaction] = nil }
        }
    }

    /// Records that the agent has validated the path: its remote end knows the password. Unvalidated paths do not
    /// displace it.
    @usableFromInline package mutating func markValidated(_ path: TransportPath, of id: AgentID) {
        guard let index = claims[path]?.firstIndex(where: { $0.agent == id }) else { return }
        claims[path]?[index].isProved = true
    }

    // MARK: Datagrams

    /// Returns the destination of a datagram that arrived on `path`.
    @usableFromInline package mutating func destination(of datagram: RawSpan, on path: TransportPath) -> Destination {
        guard let first = datagram.byte(at: 0) else { return stray() }
        guard first < 4 else { return claimants(of: path) }
        guard let message = STUNMessage(datagram), message.method == .binding else { return stray() }
        switch message.messageClass {
        case .request:
            guard let fragment = Self.fragment(in: message), let agent = fragments[fragment] else { return stray() }
            claim(path, for: agent)
            return .agent(agent)
        case .successResponse, .errorResponse:
            guard let agent = transactions[message.transactionID] else { return stray() }
            // A lite agent (RFC 8445, section 2.5) sends no checks of its own.
            if message.messageClass == .successResponse { claim(path, for: agent) }
            return .agent(agent)
        case .indication: return claimants(of: path)
        }
    }

    /// Records a datagram that an agent sends: the response to a request belongs to that agent.
    @usableFromInline package mutating func sent(_ datagram: RawSpan, by id: AgentID) {
        // Only Binding requests; the first byte distinguishes data.
        guard datagram.byte(at: 0) == 0, datagram.byte(at: 1) == 1, agents[id] != nil,
            let transaction = STUNMessage(datagram)?.transactionID, transactions[transaction] != id
        else { return }
        if let count = agents[id]?.transactions.count, count >= Self.maximumTransactions,
            let oldest = agents[id]?.transactions.popFirst(), transactions[oldest] == id
        {
            transactions[oldest] = nil
        }
        agents[id]?.transactions.append(transaction)
        transactions[transaction] = id
    }

    private mutating func stray() -> Destination {
        strayCount &+= 1
        return .nobody
    }

    private mutating func claimants(of path: TransportPath) -> Destination {
        guard let claims = claims[path], let first = claims.first else { return stray() }
        return claims.count == 1 ? .agent(first.agent) : .oneOf(claims.map(\.agent))
    }

    private static func fragment(in message: borrowing STUNMessage) -> String? {
        guard let name = message.username, name.byteCount <= 513 else { return nil }
        return name.withUnsafeBytes { bytes in
            bytes.firstIndex(of: UInt8(ascii: ":")).map { String(decoding: bytes[..<$0], as: UTF8.self) }
        }
    }

    // MARK: Claims

    private mutating func claim(_ path: TransportPath, for id: AgentID) {
        if let index = agents[id]?.paths.lastIndex(of: path) {
            // Usually it is the last one already.
            guard let count = agents[id]?.paths.count, index != count - 1 else { return }
            agents[id]?.paths.remove(at: index)
            agents[id]?.paths.append(path)
            return
        }
        if let count = claims[path]?.count, count >= Self.maximumAgentsPerPath {
            guard let weakest = claims[path]?.first(where: { !$0.isProved })?.agent else { return }
            agents[weakest]?.paths.removeAll { $0 == path }
            withdraw(weakest, from: path)
        }
        if let paths = agents[id]?.paths, paths.count >= Self.maximumPaths {
            let weakest = paths.firstIndex { !isProved($0, of: id) } ?? 0
            agents[id]?.paths.remove(at: weakest)
            withdraw(id, from: paths[weakest])
        }
        agents[id]?.paths.append(path)
        claims[path, default: []].append(Claim(agent: id, isProved: false))
    }

    private func isProved(_ path: TransportPath, of id: AgentID) -> Bool {
        claims[path]?.first { $0.agent == id }?.isProved ?? false
    }

    private mutating func withdraw(_ id: AgentID, from path: TransportPath) {
        claims[path]?.removeAll { $0.agent == id }
        if claims[path]?.isEmpty == true { claims[path] = nil }
    }
}
