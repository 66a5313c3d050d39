import RTCWire

@testable import WebRTCKit

/// Two sides of a verification, and what each sent, for tests.
struct VerificationRun {
    var caller: Verification
    var callee: Verification
    /// What the caller and the callee are told of the certificates.
    let callerView: (local: [UInt8], remote: [UInt8])
    let calleeView: (local: [UInt8], remote: [UInt8])

    /// With nobody in the middle, unless `calleeView` or `callerView` is replaced.
    init(
        random: some RandomSource, callerView: (local: [UInt8], remote: [UInt8])? = nil,
        calleeView: (local: [UInt8], remote: [UInt8])? = nil
    ) {
        let fingerprints = (random.bytes(32), random.bytes(32))
        caller = Verification(isCaller: true, nonce: random.bytes(32))
        callee = Verification(isCaller: false, nonce: random.bytes(32))
        self.callerView = callerView ?? (fingerprints.0, fingerprints.1)
        self.calleeView = calleeView ?? (fingerprints.1, fingerprints.0)
    }

    /// Runs it to its end. `passing` sees each message on its way, and what it gives out arrives.
    mutating func run(passing: (VerificationMessage) -> [VerificationMessage] = { [$0] }) {
        var toCaller = callee.begin(local: calleeView.local, remote: calleeView.remote)
        var toCallee = caller.begin(local: callerView.local, remote: callerView.remote)
        var steps = 0
        while !toCaller.isEmpty || !toCallee.isEmpty, steps < 16 {
            steps += 1
            let (forCallee, forCaller) = (toCallee.flatMap(passing), toCaller.flatMap(passing))
            (toCallee, toCaller) = ([], [])
            for message in forCallee { toCaller += callee.receive(message) }
            for message in forCaller { toCallee += caller.receive(message) }
        }
    }
}
