import Foundation

/// A line of one side of the call, as `duet call --json` prints it, with the members that the demo uses.
struct CallDemoEvent: Decodable, Sendable {
    struct Stream: Decodable, Sendable {
        var codec: String?
        var width: Int?
        var height: Int?
        var framesPerSecond: Double?
        var bitrate: Double?
    }

    var event: String
    var ms: Double?
    /// On the machine's monotonic clock, in milliseconds.
    var at: Double?
    var value: String?
    var message: String?
    var from: String?
    var text: String?
    // Of `figures`:
    var receivedVideo: Stream?
    // Of `summary`:
    var outcome: String?
    var seconds: Double?
    var connectedMs: Double?
    var framesPerSecond: Double?
    var frames: Int?
    var width: Int?
    var height: Int?
    var codec: String?
    var freezes: Int?
    var loss: Double?
    var receivedBitrate: Double?
    var roundTrip: Double?
    var route: String?
    var security: String?
    var recording: String?

    /// `nil` for a line that is no event.
    init?(line: [UInt8]) {
        guard let event = try? JSONDecoder().decode(CallDemoEvent.self, from: Data(line)) else { return nil }
        self = event
    }
}
