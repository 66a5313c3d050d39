import Logging
import NIOCore
import NIOEmbedded
import RTCSignaling

/// A header of the PROXY protocol in pieces, alone and in front of a server, and the fields with which proxies report a client.
func fuzzProxy(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let choice = input.byte()
    let size = Int(input.byte() % 64) + 1
    var trust = ProxyTrust()
    guard let networks = try? TrustedNetworks(["192.0.2.0/24", "10.0.0.0/8", "2001:db8::/32"]) else {
        preconditionFailure("the sample does not parse")
    }
    trust.networks = networks
    trust.proxyProtocol = choice & 8 == 0 ? .required : .optional
    trust.header = choice & 16 == 0 ? .xForwardedFor : .forwarded
    switch choice % 4 {
    case 0: check(input.rest(), inPiecesOf: size, trust)
    case 1: check(binaryHeader(choice, &input) + input.rest(), inPiecesOf: size, trust)
    case 2: check(Array("PROXY ".utf8) + input.rest(), inPiecesOf: size, trust)
    default:
        let lines = String(decoding: input.rest(), as: UTF8.self)
            .split(separator: "\n", maxSplits: 40, omittingEmptySubsequences: false).map(String.init)
        let (host, scheme) = (lines.first ?? "", lines.dropFirst().first ?? "")
        ProxyParsers.readRequest(Array(lines.dropFirst(2)), host: host, scheme: scheme, from: trust)
    }
}

private func check(_ bytes: [UInt8], inPiecesOf size: Int, _ trust: ProxyTrust) {
    ProxyParsers.readHeader(bytes, inPiecesOf: size)
    let loop = EmbeddedEventLoop()
    var configuration = SignalingServer.Configuration()
    configuration.proxies = trust
    configuration.logger.logLevel = .critical
    let server = ServerOnLoop(configuration, on: loop)
    let channel = EmbeddedChannel(loop: loop)
    try? server.accept(channel)
    _ = try? channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    var rest = bytes[...]
    while !rest.isEmpty, channel.isActive {
        _ = try? channel.writeInbound(ByteBuffer(bytes: rest.prefix(size)))
        rest = rest.dropFirst(size)
        loop.run()
    }
    while let sent = try? channel.readOutbound(as: ByteBuffer.self) {
        precondition(sent.readableBytes < 100_000, "an answer without bound")
    }
    _ = try? channel.finish(acceptAlreadyClosed: true)
    server.stop()
    loop.advanceTime(by: .seconds(600))
    precondition(server.statistics.sockets == 0, "a socket was forgotten")
}

/// The fixed part of version 2, with a length that is right or nearly.
private func binaryHeader(_ choice: UInt8, _ input: inout FuzzInput) -> [UInt8] {
    let kind = input.byte()
    let length = input.byte()
    return [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
        + [choice & 32 == 0 ? 0x21 : 0x20, kind, choice & 64 == 0 ? 0 : kind & 31, length]
}
