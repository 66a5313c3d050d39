internal import RTCWire

/// Handles responses and errors (RFC 8489, section 9.2.5; RFC 8656, sections 7.4, 8.3, 10.3 and 12.3).
extension TURNClient {
    mutating func receiveResponse(_ message: borrowing STUNMessage, at now: Instant) {
        let id = message.transactionID
        guard let index = transactions.firstIndex(where: { $0.id == id }),
            transactions[index].request.method == message.method
        else {
            counters.unexpectedResponses &+= 1
            return
        }
        let transaction = transactions[index]
        var code: UInt16?
        if message.messageClass == .errorResponse {
            guard let error = message.error?.code else {
                counters.malformed &+= 1
                return
            }
            if error == 401 || error == 438 {
                challenged(index, message, error, at: now)
                return
            }
            code = error
        }
        if transaction.isAuthenticated, !authentication.verify(message) {
            receivedUnproved(index, code, at: now)
            return
        }
        remove(index)
        guard message.unknownAttributes.isEmpty else {
            failed(transaction.request, TURNFailure(.malformed), at: now)
            return
        }
        if let code {
            if code == 300, case .allocate = transaction.request {
                redirect(message, at: now)
            } else {
                failed(transaction.request, TURNFailure(Self.reason(code), code: code), at: now)
            }
            return
        }
        switch transaction.request {
        case .allocate: allocationSucceeded(message, at: now)
        case .refresh(let releases): if releases { finish() } else { refreshSucceeded(message, at: now) }
        case .createPermission(let ip): permissionSucceeded(ip, at: now)
        case .channelBind(let number, let peer): channelSucceeded(number, peer, at: now)
        }
    }

    private mutating func remove(_ index: Int) {
        let id = transactions.remove(at: index).id
        outbox.removeAll { $0 == id }
    }

    /// Handles an unauthenticated response. Over UDP anybody may have sent it, so it changes nothing yet, and the true
    /// one may follow; over a stream it counts.
    private mutating func receivedUnproved(_ index: Int, _ code: UInt16?, at now: Instant) {
        counters.unauthenticatedResponses &+= 1
        guard configuration.isStream else {
            // Some servers do not authenticate all their errors: the error counts unless another response comes within
            // a second.
            if let code, transactions[index].unproved == nil {
                transactions[index].unproved = code
                transactions[index].transmissions = .max / 2
                transactions[index].due = min(transactions[index].due, now + .seconds(1))
            }
            return
        }
        let request = transactions[index].request
        remove(index)
        failed(
            request, code.map { TURNFailure(Self.reason($0), code: $0) } ?? TURNFailure(.integrity), at: now)
    }

    /// Handles 401 and 438: repeats the request with the required credentials.
    private mutating func challenged(_ index: Int, _ message: borrowing STUNMessage, _ code: UInt16, at now: Instant) {
        let transaction = transactions[index]
        let realm = authentication.realm
        guard authentication.credentials != nil else {
            remove(index)
            failed(transaction.request, TURNFailure(.credentialsMissing, code: code), at: now)
            return
        }
        if let refusal = authentication.take(message) {
            counters.unauthenticatedResponses &+= 1
            // A forged challenge must not end a request that the true response would continue; nobody can forge on a
            // stream.
            if refusal == .bidDown, !configuration.isStream, transaction.isAuthenticated { return }
            remove(index)
            failed(transaction.request, TURNFailure(Self.reason(refusal), code: code), at: now)
            return
        }
        remove(index)
        // Section 9.2.5: no retry with the same user name, realm and password, unless only the nonce was stale.
        let isRefused =
            code == 401 && transaction.isAuthenticated && transaction.challenges > 0
            && realm == authentication.realm
        guard !isRefused else {
            failed(transaction.request, TURNFailure(.unauthorized, code: code), at: now)
            return
        }
        guard transaction.challenges < TURNTransaction.maximumChallenges else {
            failed(transaction.request, TURNFailure(.challenge, code: code), at: now)
            return
        }
        request(transaction.request, challenges: transaction.challenges + 1, at: now)
    }

    // MARK: Failures

    private static func reason(_ refusal: STUNLongTermAuthentication.Refusal) -> TURNFailure.Reason {
        switch refusal {
        case .malformed: .challenge
        case .bidDown: .bidDown
        case .noAlgorithm: .passwordAlgorithm
        }
    }

    static func reason(_ code: UInt16) -> TURNFailure.Reason {
        switch code {
        case 300: .redirection
        case 401: .unauthorized
        case 403: .forbidden
        case 437: .allocationMismatch
        case 440, 443: .addressFamily
        case 441: .wrongCredentials
        case 442: .unsupportedTransport
        case 486: .quotaReached
        case 508: .insufficientCapacity
        case 500...599: .serverError
        default: .refused
        }
    }

    /// Handles the failure of a request.
    mutating func failed(_ request: TURNTransaction.Request, _ failure: TURNFailure, at now: Instant) {
        switch request {
        case .refresh(releases: true): finish()
        case .allocate(let families): allocationFailed(families, failure, at: now)
        case .refresh: refreshFailed(failure, at: now)
        case .createPermission(let ip): permissionFailed(ip, failure, at: now)
        case .channelBind(let number, let peer): channelFailed(number, peer, failure, at: now)
        }
    }

    private mutating func allocationFailed(_ families: TURNFamilies, _ failure: TURNFailure, at now: Instant) {
        guard state == .allocating else { return }
        // Over a stream the allocation ends with the connection.
        let mayHoldAllocation =
            failure.reason == .noAnswer && !configuration.isStream && authentication.isReady
            && server == configuration.server
        var failure = failure
        switch failure.reason {
        case .addressFamily where families == .ipv4AndIPv6, .refused where families == .ipv4AndIPv6:
            // An address of one family is better than none.
            self.families = .ipv4
            request(.allocate(.ipv4), at: now)
            return
        case .allocationMismatch:
            // RFC 8656, section 7.4: after three local addresses, waits for two minutes.
            mismatches += 1
            if mismatches < 3 {
                connect()
                return
            }
            mismatches = 0
            failure.retryAfter = .seconds(120)
        case .quotaReached, .insufficientCapacity:
            // Section 7.4: wait for at least a minute.
            failure.retryAfter = .seconds(60)
        case .redirection:
            // An unauthenticated redirection is not followed.
            failure.retryAfter = Self.redirectionBackoff
        case .serverError, .noAnswer, .malformed, .integrity, .connectionLost, .challenge:
            failure.retryAfter = max(backoff(), .seconds(10))
        case .unauthorized, .forbidden, .addressFamily, .wrongCredentials, .unsupportedTransport, .refused,
            .credentialsMissing, .bidDown, .passwordAlgorithm:
            break
        }
        fail(failure, mayHoldAllocation: mayHoldAllocation, at: now)
    }

    private mutating func refreshFailed(_ failure: TURNFailure, at now: Instant) {
        guard state == .allocated else { return }
        switch failure.reason {
        case .noAnswer:
            // On a lossy path all transmissions may be lost. If the server is down, a new allocation would fail too.
            allocation?.refreshAt = now
        case .serverError, .insufficientCapacity, .quotaReached, .integrity:
            // The allocation lasts until it expires.
            allocation?.refreshAt = now + .seconds(10)
        default: lose(failure, at: now)
        }
    }

    /// Whether the failure of a permission or channel means that the allocation is gone.
    func concernsAllocation(_ failure: TURNFailure) -> Bool {
        switch failure.reason {
        case .allocationMismatch, .wrongCredentials, .unauthorized: true
        default: false
        }
    }
}
