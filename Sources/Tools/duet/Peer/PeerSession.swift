import DuetShell
import Logging
import RTC
import RTCPeer
import RTCTransport

/// One run of `duet peer`: carries out input lines and prints events, until the connection is closed.
///
/// This file has the beginning and the end. `PeerSession+Commands` carries out lines, `PeerSession+Signaling` prints signals for
/// the other peer, `PeerSession+Events` states and statistics, `PeerSession+Channels` handles data channels, and
/// `PeerSession+Media` audio and video.
actor PeerSession {
    struct Settings: Sendable {
        var role: PeerRole
        /// The labels that are opened at the start.
        var channels: [String]
        var channelOptions: DataChannelOptions
        var echoes: Bool
        var trickles: Bool
        var printsStatistics: Bool
        var bench: BenchPlan?
        /// Whether a measurement sends and receives each message with one call.
        var measuresOneByOne = false
        var media = MediaPlan()
    }

    let connection: PeerConnection
    let settings: Settings
    let output: LineWriter
    let log = Logger(label: "duet.peer")

    /// The start of the first local description.
    var start: ContinuousClock.Instant?
    /// 0 once the peers have been connected, until then 1.
    let exitStatus = ExitStatus()
    var lastPrintedState = ConnectionState.new

    /// Descriptions that wait for the end of gathering, without trickle ICE, in order.
    var heldDescriptions: [SessionDescription] = []
    /// Channels that the answering side opens once it has an offer.
    var deferredChannels: [(label: String, options: DataChannelOptions)] = []
    var hasRemoteDescription = false

    var channels: [ChannelNumber: ChannelEntry] = [:]
    var nextChannelNumber: ChannelNumber = 0
    var sendQueues: [String: SendQueue] = [:]

    /// The sent tracks; at most one of each kind.
    var localTracks: [MediaKind: LocalTrack] = [:]
    /// The received tracks, by identifier.
    var remoteTracks: [String: RemoteTrack] = [:]

    init(_ connection: PeerConnection, settings: Settings, output: LineWriter) {
        self.connection = connection
        self.settings = settings
        self.output = output
    }

    /// Runs until the connection is closed, by an input or by the other peer.
    ///
    /// - Returns: The exit status: 0 if the peers had been connected, otherwise 1.
    func run(_ inputs: AsyncStream<SessionInput>) async -> Int32 {
        // Subscribed before anything happens, so that nothing is missed.
        let (signals, events) = (connection.signals, connection.events)
        let signaling = Task { for await signal in signals { await forward(signal) } }
        let obeying = Task {
            await begin()
            for await input in inputs {
                guard await obey(input) else { break }
            }
        }
        let watching = Task {
            for await event in events { await handle(event) }
        }
        let statistics = settings.printsStatistics ? Task { await printStatistics() } : nil
        let content = settings.media.printsContent ? Task { await printContent() } : nil
        let ending = Task {
            await watching.value
            obeying.cancel()
        }
        await obeying.value

        // From here on, the process ends within a second, whatever blocks.
        exitStatus.exit(after: .milliseconds(900))
        statistics?.cancel()
        content?.cancel()
        if lastPrintedState == .connected { await flushSendQueues(within: .milliseconds(400)) }
        await connection.close()
        finishRecordings()
        let readers = channels.values.map(\.task)
        let watchers = remoteTracks.values.map(\.watching)
        await wait(atMost: .milliseconds(250)) {
            await signaling.value
            await ending.value
            for reader in readers { await reader?.value }
            for watcher in watchers { await watcher.value }
        }
        await printState(.closed)
        await output.finish(within: .milliseconds(150))
        return exitStatus.value
    }

    /// Starts what the options request: tracks at once, channels on the answering side once there is an offer.
    private func begin() async {
        var channels = settings.channels
        if channels.isEmpty, settings.role == .offer { channels = ["data"] }
        var wishes = channels.map { (label: $0, options: settings.channelOptions) }
        if settings.bench != nil {
            var options = settings.channelOptions
            options.protocol = BenchPlan.protocolName
            wishes.append((BenchPlan.label, options))
        }
        let tracks = makeFirstTracks()
        guard settings.role == .offer else {
            deferredChannels = wishes
            return await add(tracks, receiving: [], opening: [])
        }
        start = .now
        await add(tracks, receiving: kindsToReceive, opening: wishes)
    }

    /// Adds everything in one turn of the connection, so that the first offer contains all of it.
    private func add(
        _ tracks: [any MediaTrack], receiving kinds: [MediaKind],
        opening wishes: [(label: String, options: DataChannelOptions)]
    ) async {
        let (senders, channels, errors) = await connection.inOneTurn { connection in
            var senders: [LocalTrack] = []
            var channels: [DataChannel] = []
            var errors: [String] = []
            func attempt(_ work: () throws(RTCError) -> Void) {
                do throws(RTCError) { try work() } catch { errors.append(error.message) }
            }
            var receiveOnly = RTPTransceiverOptions()
            receiveOnly.direction = .recvonly
            for track in tracks {
                attempt { () throws(RTCError) in
                    let sender = try connection.addTrack(track, streams: [Self.streamName])
                    senders.append(LocalTrack(track: track, sender: sender))
                }
            }
            for kind in kinds {
                attempt { () throws(RTCError) in _ = try connection.addTransceiver(kind, options: receiveOnly) }
            }
            for wish in wishes {
                attempt { () throws(RTCError) in
                    channels.append(try connection.createDataChannel(wish.label, options: wish.options))
                }
            }
            return (senders, channels, errors)
        }
        for local in senders { localTracks[local.track.kind] = local }
        for channel in channels { serve(channel) }
        for local in senders { await setLayers(local.sender) }
        for error in errors { complain(error) }
    }

    /// Prints an error event.
    func complain(_ message: String) {
        output.write(.event("error", ["message": message]))
    }
}
