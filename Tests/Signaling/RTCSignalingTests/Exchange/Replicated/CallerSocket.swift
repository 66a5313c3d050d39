@testable import RTCSignaling

/// A client's connection to a node: in order, with delays, until one side or the network ends it. What is on its way then is lost.
final class CallerSocket {
    private let time: VirtualTime
    private let node: VirtualNode
    private unowned let client: VirtualCaller
    private(set) var id = ConnectionID(rawValue: 0)
    private var isOpenAtNode = true
    private var isOpenAtClient = true
    private var lastToClient: Duration = .zero
    private var lastToNode: Duration = .zero

    init(_ time: VirtualTime, _ node: VirtualNode, _ client: VirtualCaller) {
        self.time = time
        self.node = node
        self.client = client
        id = node.open(self)
    }

    // MARK: The node's side

    func send(toClient json: [UInt8]) {
        lastToClient = max(lastToClient, time.now + time.between(1, 8))
        time.at(lastToClient) { if self.isOpenAtClient { self.client.receive(json, on: self) } }
    }

    /// The node closes.
    func close(_ code: SignalingErrorCode?) {
        isOpenAtNode = false
        lastToClient = max(lastToClient, time.now + time.between(1, 8))
        time.at(lastToClient) { self.endAtClient() }
    }

    /// The node is dead; the client notices sooner or later.
    func breakOff() {
        isOpenAtNode = false
        time.after(time.between(1, 1_500)) { self.endAtClient() }
    }

    // MARK: The client's side

    func send(toNode input: @escaping (ConnectionID) -> ExchangeInput) {
        guard isOpenAtClient else { return }
        lastToNode = max(lastToNode, time.now + time.between(1, 8))
        time.at(lastToNode) {
            if self.isOpenAtNode, self.node.isAlive { self.node.handle(input(self.id)) }
        }
    }

    /// The client gives it up, or the network cuts it: the node notices later.
    func leave() {
        guard isOpenAtClient else { return }
        isOpenAtClient = false
        time.after(time.between(1, 3_000)) {
            guard self.isOpenAtNode else { return }
            self.isOpenAtNode = false
            self.node.sockets[self.id] = nil
            self.node.handle(.disconnected(self.id))
        }
        client.lost(self)
    }

    private func endAtClient() {
        guard isOpenAtClient else { return }
        isOpenAtClient = false
        client.lost(self)
    }
}
