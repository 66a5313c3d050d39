// The server's code of the article “Your own signalling server”: see ArticleCode.swift.

import Foundation
import WebRTCKit

/// The payload of a push.
nonisolated struct PushedCall: Codable, Equatable {
    var from: PeerID
    var call: String
    var name: String?
    var hasVideo: Bool
}

/// The part of a server that knows about calls. It leaves out limits.
nonisolated struct CallServer {
    nonisolated private struct Ringing {
        /// The invitation, and the caller's candidates.
        var letters: [Letter]
        var busyDevices: Set<PeerID> = []
    }

    /// The connected devices, such as `bob/phone`.
    private var devices: Set<PeerID> = []
    private var ringing: [CallIdentifier: Ringing] = [:]
    /// Sends a push to the devices of a user that are not connected.
    private let push: (PeerID, PushedCall) -> Void

    init(push: @escaping (PeerID, PushedCall) -> Void) {
        self.push = push
    }

    /// Returns the letters that a letter of a client leads to, each to one device.
    ///
    /// - Parameter letter: With `from` and `name` as the server knows them.
    mutating func take(_ letter: Letter) -> [Letter] {
        let letters = addressed(letter)
        if letter.kind == .candidate { keep(letter) }
        guard letter.kind == .signal, let signal = SignalSummary(letter.content) else { return letters }
        switch signal.kind {
        case .invite:
            guard ringing[signal.call] == nil else { return [] }
            ringing[signal.call] = Ringing(letters: [letter])
            var call = PushedCall(from: letter.from, call: signal.call.rawValue, name: letter.name, hasVideo: false)
            call.hasVideo = signal.media.contains(.video)
            push(letter.to, call)
        case .answer:
            return letters + silence(signal.call, from: letter.from, because: "answeredElsewhere")
        case .reject:
            return letters + silence(signal.call, from: letter.from, because: "rejectedElsewhere")
        case .busy:
            return isLastBusy(letter.from, in: signal.call) ? letters : []
        case .cancel:
            if ringing[signal.call]?.letters.first?.from == letter.from { ringing[signal.call] = nil }
        case .ringing, .hangUp, .negotiate, .verify, .noAnswer, .unavailable:
            break
        }
        return letters
    }

    /// Returns what waits for a device that has connected.
    mutating func connect(_ device: PeerID) -> [Letter] {
        devices.insert(device)
        let waiting = ringing.values.filter { Self.names($0.letters[0].to, device) }.flatMap(\.letters)
        var letters = waiting.map { letter in
            var letter = letter
            letter.to = device
            return letter
        }
        letters.append(Letter(kind: .allDelivered, to: device, from: device))
        return letters
    }

    mutating func disconnect(_ device: PeerID) { devices.remove(device) }

    /// Returns whether an ID is that of the device, or of its user.
    private static func names(_ id: PeerID, _ device: PeerID) -> Bool {
        device == id || device.hasPrefix(id + "/")
    }

    private func addressed(_ letter: Letter) -> [Letter] {
        devices.filter { Self.names(letter.to, $0) }.sorted().map { device in
            var letter = letter
            letter.to = device
            return letter
        }
    }

    private mutating func keep(_ candidate: Letter) {
        for (call, waiting) in ringing
        where waiting.letters[0].from == candidate.from && waiting.letters[0].to == candidate.to {
            ringing[call]?.letters.append(candidate)
        }
    }

    /// Returns the letters that end the ringing of the callee's other devices.
    private mutating func silence(_ call: CallIdentifier, from device: PeerID, because reason: String) -> [Letter] {
        guard var invitation = ringing[call]?.letters[0], Self.names(invitation.to, device) else { return [] }
        ringing[call] = nil
        invitation.content = Data(#"{"call": "\#(call.rawValue)", "kind": "cancel", "reason": "\#(reason)"}"#.utf8)
        return addressed(invitation).filter { $0.to != device }
    }

    /// Returns whether no device of the callee is left that might answer.
    private mutating func isLastBusy(_ device: PeerID, in call: CallIdentifier) -> Bool {
        guard var waiting = ringing[call], Self.names(waiting.letters[0].to, device) else { return false }
        waiting.busyDevices.insert(device)
        let others = addressed(waiting.letters[0]).filter { !waiting.busyDevices.contains($0.to) }
        ringing[call] = others.isEmpty ? nil : waiting
        return others.isEmpty
    }
}
