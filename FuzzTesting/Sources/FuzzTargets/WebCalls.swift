/// What a page posts, from the text that the web view hands over to the reply: as it comes, and such as our script makes of requests
/// that make sense, or nearly.
func fuzzWebCallRequest(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var page = WebCallPage()
    for _ in 0..<300 where !input.isEmpty {
        let choice = input.byte()
        switch choice % 8 {
        case 0: page.receive(input.text())
        case 1: page.receive(head(&input) + input.text())
        case 2: page.finish(Int(input.byte()), problem: choice & 8 != 0 ? input.text(limit: 80) : nil)
        case 3: page.tell(peer: input.text(limit: 300))
        case 4: page.receive(head(&input) + String(decoding: input.mutate(Array(request(&input).utf8)), as: UTF8.self))
        default: page.receive(head(&input) + request(&input))
        }
    }
}

/// The first line: most are of the page that the view shows.
private func head(_ input: inout FuzzInput) -> String {
    switch input.number(below: 12) {
    case 0: input.text(limit: 60) + "\n"
    case 1: "https://a.call.example 1f\n"
    case 2: "null 1f\n"
    case 3: "https://call.example:443 \(input.text(limit: 20))\n"
    default: "https://call.example 0a1b\n"
    }
}

private func request(_ input: inout FuzzInput) -> String {
    let (number, document) = (input.byte(), input.number(below: 6))
    var members = [#""id":\#(number)"#]
    if document > 0 { members.append(#""document":\#(document)"#) }
    switch input.number(below: 12) {
    case 0: members.append(#""action":"call","peer":"bob""#)
    case 1: members.append(#""action":"call","peer":"\#(input.text(limit: 300))""#)
    case 2: members.append(#""action":"answer","accept":false"#)
    case 3: members.append(#""action":"answer""#)
    case 4: members.append(#""action":"setMuted","track":"camera","muted":true"#)
    case 5: members.append(#""action":"setMuted","track":"microphone","muted":\#(input.text(limit: 10))"#)
    case 6: members.append(#""action":"statistics""#)
    case 7: members.append(#""action":"\#(input.text(limit: 20))""#)
    case 8: members.append(#""\#(input.text(limit: 20))":\#(input.text(limit: 40)),"action":"hangUp""#)
    default: members.append(#""action":"hangUp""#)
    }
    return "{" + members.joined(separator: ",") + "}"
}
