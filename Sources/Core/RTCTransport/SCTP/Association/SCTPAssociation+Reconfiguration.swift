package import RTCWire

/// The state of stream reconfiguration (RFC 6525).
struct ReconfigurationState {
    enum Request: Equatable {
        case reset([UInt16])
        case addStreams(UInt16)
    }

    var nextRequest: ReconfigurationSequenceNumber
    var nextPeerRequest: ReconfigurationSequenceNumber
    /// The number of outgoing streams still to be requested.
    var wantedStreams: UInt16 = 0
    /// The outstanding request, one at a time (RFC 6525, section 5.1.1).
    var request: Request?
    /// The outstanding request as it was sent.
    var requestParameter: ReconfigurationParameter?
    var isRequestDue = false
    /// The result of the peer's last request, for its retransmissions.
    var lastResult = ReconfigurationResponse.Result.nothingToDo
    /// A reset by the peer that waits for the data sent before it.
    var deferred: OutgoingResetRequest?

    init(nextRequest: ReconfigurationSequenceNumber, nextPeerRequest: ReconfigurationSequenceNumber) {
        self.nextRequest = nextRequest
        self.nextPeerRequest = nextPeerRequest
    }

    mutating func forget() {
        self = ReconfigurationState(nextRequest: nextRequest, nextPeerRequest: nextPeerRequest)
    }
}

extension SCTPAssociation {
    /// Resets outgoing streams, once all that was sent on them is acknowledged (RFC 6525, section 5.1.2). Nothing can be
    /// sent on them until then. Ends with `outgoingStreamsReset` or `streamResetDenied`.
    package mutating func resetStreams(_ streams: [UInt16], at now: Instant) {
        guard state == .established || state == .cookieWait || state == .cookieEchoed else { return }
        if state != .cookieWait, !peerCapabilities.contains(.reconfiguration) {
            events.append(.streamResetDenied(streams))
            return
        }
        for stream in streams where stream < outgoingStreamCount { queue.wantReset(of: stream) }
    }

    /// Asks the peer to accept `count` outgoing streams more (RFC 6525, section 5.1.5). Ends with `outgoingStreamCount`.
    package mutating func addOutgoingStreams(_ count: UInt16, at now: Instant) {
        guard state == .established, peerCapabilities.contains(.reconfiguration),
            outgoingStreamCount + Int(count) <= 65_535
        else {
            events.append(.outgoingStreamCount(outgoingStreamCount))
            return
        }
        reconfiguration.wantedStreams = max(reconfiguration.wantedStreams, count)
    }

    // MARK: Our requests

    /// Queues the next request, or retransmits the outstanding one.
    mutating func queueReconfiguration(at now: Instant) {
        if reconfiguration.request == nil {
            guard state == .established else { return }
            guard reconfiguration.wantedStreams > 0 || queue.hasReadyForReset else { return }
            makeRequest()
            timers[.reconfiguration] = now + timeout.value
        }
        guard reconfiguration.isRequestDue, let parameter = reconfiguration.requestParameter else { return }
        reconfiguration.isRequestDue = false
        queueControl(capacity: configuration.packetSize) {
            ReconfigurationChunk(parameters: [parameter]).write(to: &$0)
        }
    }

    private mutating func makeRequest() {
        let number = reconfiguration.nextRequest
        if reconfiguration.wantedStreams > 0 {
            let count = reconfiguration.wantedStreams
            reconfiguration.wantedStreams = 0
            reconfiguration.request = .addStreams(count)
            reconfiguration.requestParameter = .addStreams(
                AddStreamsRequest(isOutgoing: true, requestNumber: number, newStreams: count))
        } else {
            let ready = queue.takeReadyForReset(limit: 200)
            reconfiguration.request = .reset(ready)
            reconfiguration.requestParameter = .outgoingReset(
                OutgoingResetRequest(
                    requestNumber: number, responseNumber: reconfiguration.nextPeerRequest.previous,
                    lastAssignedTSN: outstanding.nextTSN.previous, streams: ready))
        }
        reconfiguration.nextRequest = number.next
        reconfiguration.isRequestDue = true
    }

    mutating func handleReconfigurationTimer(at now: Instant) {
        guard reconfiguration.request != nil else { return }
        countError()
        guard state != .ended else { return }
        timeout.backOff()
        reconfiguration.isRequestDue = true
        timers[.reconfiguration] = now + timeout.value
    }

    private mutating func receiveResponse(_ response: ReconfigurationResponse, at now: Instant) {
        guard let request = reconfiguration.request,
            response.responseNumber == reconfiguration.nextRequest.previous
        else { return }
        errorCount = 0
        if response.result == .inProgress || response.result == .requestAlreadyInProgress {
            timers[.reconfiguration] = now + timeout.value
            return
        }
        reconfiguration.request = nil
        reconfiguration.requestParameter = nil
        reconfiguration.isRequestDue = false
        timers[.reconfiguration] = nil
        let isGranted = response.result == .performed || response.result == .nothingToDo
        switch request {
        case .reset(let streams):
            // A stream whose reset was requested again is not finished.
            let over = streams.filter { !queue.endReset($0, isPerformed: isGranted) }
            if !over.isEmpty { events.append(isGranted ? .outgoingStreamsReset(over) : .streamResetDenied(over)) }
        case .addStreams(let count):
            if isGranted { outgoingStreamCount = min(65_535, outgoingStreamCount + Int(count)) }
            events.append(.outgoingStreamCount(outgoingStreamCount))
        }
    }

    // MARK: Requests of the peer

    mutating func receiveReconfiguration(_ chunk: ReconfigurationChunk, at now: Instant) {
        guard isSynchronized else {
            counters.chunksIgnored += 1
            return
        }
        for parameter in chunk.parameters {
            switch parameter {
            case .response(let response): receiveResponse(response, at: now)
            case .outgoingReset(let request):
                receiveRequest(request.requestNumber) { $0.resetIncoming(request) }
            case .incomingReset(let request): receiveRequest(request.requestNumber) { _ in .denied }
            case .associationReset(let request): receiveRequest(request.requestNumber) { _ in .denied }
            case .addStreams(let request):
                receiveRequest(request.requestNumber) { $0.addIncoming(request) }
            }
        }
    }

    /// Answers a request: executes a new one by `perform`, and repeats the result for a retransmission.
    private mutating func receiveRequest(
        _ number: ReconfigurationSequenceNumber,
        perform: (inout SCTPAssociation) -> ReconfigurationResponse.Result
    ) {
        if number == reconfiguration.nextPeerRequest {
            reconfiguration.nextPeerRequest = number.next
            reconfiguration.lastResult = perform(&self)
            respond(number, reconfiguration.lastResult)
        } else if number == reconfiguration.nextPeerRequest.previous {
            respond(number, reconfiguration.lastResult)
        } else {
            respond(number, .badSequenceNumber)
        }
    }

    private mutating func respond(
        _ number: ReconfigurationSequenceNumber, _ result: ReconfigurationResponse.Result
    ) {
        let response = ReconfigurationResponse(responseNumber: number, result: result)
        queueControl(capacity: 32) { ReconfigurationChunk(parameters: [.response(response)]).write(to: &$0) }
    }

    /// Handles an Outgoing SSN Reset Request (RFC 6525, section 5.2.2).
    private mutating func resetIncoming(_ request: OutgoingResetRequest) -> ReconfigurationResponse.Result {
        if let waiting = reconfiguration.deferred {
            // After "in progress" some peers repeat the request under a new number, and take "already in progress" as a
            // refusal.
            guard request.streams == waiting.streams, request.lastAssignedTSN == waiting.lastAssignedTSN else {
                return .requestAlreadyInProgress
            }
            reconfiguration.deferred = nil
        }
        guard request.streams.allSatisfy({ $0 < incomingStreamCount }) else { return .wrongStream }
        guard request.lastAssignedTSN <= received.cumulative else {
            reconfiguration.deferred = request
            return .inProgress
        }
        performReset(request.streams)
        return .performed
    }

    private mutating func performReset(_ streams: [UInt16]) {
        reassembly.reset(streams)
        let discarded = reassembly.takeDiscardedBytes()
        window.release(discarded)
        events.append(.incomingStreamsReset(streams))
    }

    /// Performs a deferred reset once its data have arrived, and sends the response unprompted.
    mutating func performDeferredReset() {
        guard let request = reconfiguration.deferred, request.lastAssignedTSN <= received.cumulative else { return }
        reconfiguration.deferred = nil
        performReset(request.streams)
        if request.requestNumber == reconfiguration.nextPeerRequest.previous {
            reconfiguration.lastResult = .performed
            respond(request.requestNumber, .performed)
        }
    }

    /// Handles an Add Outgoing Streams Request (RFC 6525, section 5.2.5).
    private mutating func addIncoming(_ request: AddStreamsRequest) -> ReconfigurationResponse.Result {
        guard request.isOutgoing, incomingStreamCount + Int(request.newStreams) <= Int(configuration.incomingStreams)
        else { return .denied }
        incomingStreamCount += Int(request.newStreams)
        return .performed
    }
}
