/// A message that a subscription received.
public struct NATSMessage: Hashable, Sendable {
    public var subject: NATSSubject
    /// Where an answer is awaited.
    public var reply: NATSSubject?
    public var headers: NATSHeaders
    /// Set if a server made the message. Anybody else who may publish to the subject can set it too.
    public var status: NATSStatus?
    public var payload: [UInt8]

    package init(
        subject: NATSSubject, reply: NATSSubject? = nil, headers: NATSHeaders = NATSHeaders(),
        status: NATSStatus? = nil,
        payload: [UInt8] = []
    ) {
        self.subject = subject
        self.reply = reply
        self.headers = headers
        self.status = status
        self.payload = payload
    }
}
