internal import RTCWire

/// RE-CONFIG: one or two requests or responses about streams
/// ([RFC 6525, section 3.1](https://www.rfc-editor.org/rfc/rfc6525#section-3.1)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------+---------------+-------------------------------+
/// |   Type = 130  |  Chunk flags  |          Chunk length         |
/// +---------------+---------------+-------------------------------+
/// |                  Re-configuration parameter                   |
/// +---------------------------------------------------------------+
/// |             Re-configuration parameter (optional)             |
/// +---------------------------------------------------------------+
/// ```
struct ReconfigurationChunk: Equatable {
    var parameters: [ReconfigurationParameter]

    init(parameters: [ReconfigurationParameter]) {
        self.parameters = parameters
    }

    /// `nil` when a parameter is truncated or out of place. No more than two are read.
    init?(parsing value: RawSpan) {
        parameters = []
        var reader = SCTPParameterReader(value)
        while parameters.count < 2, let parameter = reader.next() {
            guard let parsed = ReconfigurationParameter(parsing: parameter) else { return nil }
            parameters.append(parsed)
        }
        if parameters.isEmpty { return nil }
    }

    func write(to writer: inout ByteWriter) {
        let start = writer.beginChunk(.reconfiguration)
        for parameter in parameters { parameter.write(to: &writer) }
        writer.endChunk(start)
    }
}

/// A parameter of a RE-CONFIG chunk.
enum ReconfigurationParameter: Equatable {
    case outgoingReset(OutgoingResetRequest)
    case incomingReset(IncomingResetRequest)
    case associationReset(AssociationResetRequest)
    case addStreams(AddStreamsRequest)
    case response(ReconfigurationResponse)

    init?(parsing parameter: SCTPParameter) {
        switch parameter.type {
        case .outgoingResetRequest:
            guard let request = OutgoingResetRequest(parsing: parameter.value) else { return nil }
            self = .outgoingReset(request)
        case .incomingResetRequest:
            guard let request = IncomingResetRequest(parsing: parameter.value) else { return nil }
            self = .incomingReset(request)
        case .associationResetRequest:
            guard let request = AssociationResetRequest(parsing: parameter.value) else { return nil }
            self = .associationReset(request)
        case .addOutgoingStreams, .addIncomingStreams:
            let isOutgoing = parameter.type == .addOutgoingStreams
            guard let request = AddStreamsRequest(parsing: parameter.value, isOutgoing: isOutgoing) else { return nil }
            self = .addStreams(request)
        case .reconfigurationResponse:
            guard let response = ReconfigurationResponse(parsing: parameter.value) else { return nil }
            self = .response(response)
        default: return nil
        }
    }

    func write(to writer: inout ByteWriter) {
        switch self {
        case .outgoingReset(let request): request.write(to: &writer)
        case .incomingReset(let request): request.write(to: &writer)
        case .associationReset(let request): request.write(to: &writer)
        case .addStreams(let request): request.write(to: &writer)
        case .response(let response): response.write(to: &writer)
        }
    }
}
