/// A message that a subscription received.
package struct NATSMessage: Hashable, Sendable {
    package var subject: NATSSubject
    /// Where an answer is awaited.
    package var reply: NATSSubject?
    package var headers: NATSHeaders
    /// Set if a server made the message. Anybody else who may publish to the subject can set it too.
    package var status: NATSStatus?
    package var payload: [UInt8]

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
