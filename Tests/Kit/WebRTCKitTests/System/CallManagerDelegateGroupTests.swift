import Synchronization
import Testing

@testable import WebRTCKit

@Suite("Several delegates of one controller")
struct CallManagerDelegateGroupTests {
    private final class Delegate: CallManagerDelegate {
        private let heard: Log
        private let name: String

        init(_ name: String, _ heard: Log) {
            self.name = name
            self.heard = heard
        }

        func didReceiveIncomingCall(from peerID: PeerID) { heard.add("\(name) \(peerID)") }
        func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) {}
        func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) {}
        func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
        func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
        func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {}
        func callDidStart() { heard.add("\(name) started") }
        func callDidEnd(withError error: CallManagerError?) { heard.add("\(name) ended") }
        func didReceiveDataChannel(_ dataChannel: WRKDataChannel) {}
        func callWillEnd(as ending: CallEnding) { heard.add("\(name) \(ending)") }
        func connectionLost() { heard.add("\(name) lost") }
    }

    private final class Log: Sendable {
        private let entries = Mutex<[String]>([])
        func add(_ entry: String) { entries.withLock { $0.append(entry) } }
        var all: [String] { entries.withLock { $0 } }
    }

    @Test("Each is told, in order, also of what an app may leave out")
    func order() {
        let log = Log()
        let (first, second) = (Delegate("a", log), Delegate("b", log))
        let group = CallManagerDelegateGroup([first, second])
        group.didReceiveIncomingCall(from: "bob", media: [.audio])
        group.callDidStart()
        group.connectionLost()
        group.callWillEnd(as: .failed)
        #expect(
            log.all == ["a bob", "b bob", "a started", "b started", "a lost", "b lost", "a failed", "b failed"])
    }

    @Test("They are not kept, and may come and go")
    func weakness() {
        let log = Log()
        let first = Delegate("a", log)
        var second: Delegate? = Delegate("b", log)
        let group = CallManagerDelegateGroup([first])
        if let second { group.add(second) }
        group.callDidEnd(withError: nil)
        second = nil
        group.callDidEnd(withError: nil)
        group.remove(first)
        group.callDidEnd(withError: nil)
        #expect(log.all == ["a ended", "b ended", "a ended"])
    }
}
