import RTCSignaling

func fuzzKitMessage(_ bytes: [UInt8]) {
    KitMessages.checkSignal(bytes)
    KitMessages.checkCandidate(bytes)
    KitMessages.checkVerification(bytes)
}

/// Messages that make sense, or nearly, of a few calls with a few peers.
func fuzzKitServer(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var connection = KitServerMessages()
    var steps = 0
    while !input.isEmpty, steps < 300 {
        steps += 1
        switch input.number(below: 4) {
        case 0: connection.send(signal: input.mutate(kitSignal(&input)), to: peer(&input))
        case 1: connection.send(candidate: input.mutate(kitCandidate(&input)))
        default:
            let message = input.mutate(serverMessage(&input))
            if let envelope = try? Envelope<ServerMessage>(json: message) { connection.receive(envelope.message) }
        }
    }
}

private func call(_ input: inout FuzzInput) -> String { "0123456789abcde\(input.number(below: 4))" }

private func peer(_ input: inout FuzzInput) -> String {
    ["bob", "bob/k3v9", "carol", "", "a b"][input.number(below: 5)]
}

private func kitCandidate(_ input: inout FuzzInput) -> [UInt8] {
    Array(#"{"call":"\#(call(&input))","candidate":"candidate:1 1 udp 1 192.0.2.7 5 typ host","sdpMid":"0"}"#.utf8)
}

private func kitSignal(_ input: inout FuzzInput) -> [UInt8] {
    let members = [
        #""kind":"invite","sdp":"v=0","media":["audio"]"#, #""kind":"ringing""#, #""kind":"answer","sdp":"v=0""#,
        #""kind":"reject","reason":"declined""#, #""kind":"busy""#, #""kind":"cancel","reason":"glare""#,
        #""kind":"hangUp","reason":"normal""#, #""kind":"negotiate","type":"offer","sdp":"v=0""#,
        #""kind":"verify","step":"commit","value":"AQID""#, #""kind":"noAnswer""#, #""kind":"unavailable""#,
    ]
    return Array(#"{"call":"\#(call(&input))",\#(members[input.number(below: members.count)])}"#.utf8)
}

private func serverMessage(_ input: inout FuzzInput) -> [UInt8] {
    let from = #""from":{"user":"bob","device":"k\#(input.number(below: 3))"}"#
    let id = call(&input)
    let members = [
        #""type":"invite",\#(from),"media":["audio"],"polite":true,"description":{"type":"offer","sdp":"v=0"}"#,
        #""type":"invite",\#(from)"#, #""type":"ringing",\#(from)"#,
        #""type":"answer",\#(from),"description":{"type":"answer","sdp":"v=0"}"#, #""type":"answer",\#(from)"#,
        #""type":"answeredElsewhere",\#(from)"#, #""type":"reject",\#(from),"reason":"declined""#,
        #""type":"busy",\#(from)"#, #""type":"cancel",\#(from),"reason":"x""#, #""type":"noAnswer""#,
        #""type":"unavailable""#, #""type":"glare","winner":"\#(call(&input))""#,
        #""type":"candidates",\#(from),"candidates":[{"candidate":"c"},{"candidate":""}]"#,
        #""type":"negotiate",\#(from),"description":{"type":"offer","sdp":"v=0"}"#,
        #""type":"signal",\#(from),"kind":"verify","polite":true,"data":"eyJzdGVwIjoiY29tbWl0IiwidmFsdWUiOiJBUUlEIn0=""#,
        #""type":"signal",\#(from),"kind":"verify","polite":true,"data":"AQ==""#,
        #""type":"hangup",\#(from),"reason":"left""#, #""type":"peer","state":"gone""#,
        #""type":"peer","state":"present""#, #""type":"attached""#,
        #""type":"error","code":"unknownCall","message":"m""#, #""type":"error","code":"rateLimited","message":"m""#,
    ]
    let message = members[input.number(below: members.count)]
    return Array(#"{\#(message),"call":"\#(id)","seq":1}"#.utf8)
}
