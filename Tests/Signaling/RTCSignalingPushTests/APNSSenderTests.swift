import Foundation
import Logging
import RTCSignaling
import Testing

@testable import RTCSignalingPush

@Suite("Sending VoIP pushes")
struct APNSSenderTests {
    private func token(_ number: UInt8) -> PushToken {
        guard let token = PushToken(bytes: [UInt8](repeating: number, count: 32)) else {
            preconditionFailure("no token: \(number)")
        }
        return token
    }

    private func request(_ number: UInt8) -> PushRequest {
        PushRequest(
            id: UInt64(number),
            content: .device(DevicePush(token: token(number), call: .sample(), timeLeft: .seconds(30))))
    }

    private func withSender(
        devices: Set<UInt8> = [1], _ change: (inout APNSSender.Configuration) -> Void = { _ in },
        _ body: (APNSSender, APNSStandIn) async throws -> Void
    ) async throws {
        let standIn = try await APNSStandIn.start()
        let known = devices.map { token($0).rawValue }
        standIn.change { $0.devices = Set(known) }
        let authority = FileManager.default.temporaryDirectory.appendingPathComponent(
            "duet-apns-\(UUID().uuidString).pem")
        try Data(TestKeys.certificate.utf8).write(to: authority)
        var configuration = APNSSender.Configuration(
            key: TestKeys.provider, keyID: APNSStandIn.keyID, teamID: APNSStandIn.team, bundle: "org.example.Calls")
        configuration.server = "https://localhost:\(standIn.port)"
        configuration.trustedFile = authority.path
        configuration.logger.logLevel = .critical
        change(&configuration)
        let sender = try await APNSSender(configuration)
        do {
            try await body(sender, standIn)
        } catch {
            await sender.close()
            await standIn.stop()
            throw error
        }
        await sender.close()
        await standIn.stop()
        try? FileManager.default.removeItem(at: authority)
    }

    @Test("A push that keeps the service's rules, many of them over one connection with one token")
    func delivered() async throws {
        try await withSender { sender, standIn in
            let request = request(1)
            let outcomes = await withTaskGroup(of: PushOutcome.self) { group in
                for _ in 0..<50 { group.addTask { await sender.send(request) } }
                return await group.reduce(into: [PushOutcome]()) { $0.append($1) }
            }
            #expect(outcomes == Array(repeating: .delivered, count: 50))
            let now = standIn.now
            #expect(now.connections == 1 && now.tokens.count == 1 && now.delivered.count == 50 && now.refusals.isEmpty)
            let push = try #require(now.delivered.first)
            #expect(push.device == String(repeating: "01", count: 32))
            #expect(push.headers["apns-priority"] == "10" && push.headers["apns-collapse-id"] == "abcdefghijklmnop")
            let expiration = try #require(push.headers["apns-expiration"].flatMap { Double($0) })
            #expect(abs(expiration - Date().timeIntervalSince1970 - 30) < 20)
        }
    }

    @Test("Devices that are gone or were never there, and topics and teams of others")
    func refusals() async throws {
        try await withSender { sender, standIn in
            let gone = token(2).rawValue
            standIn.change { $0.gone[gone] = Int64(Date().timeIntervalSince1970 * 1_000) - 60_000 }
            guard case .deadToken(let age?) = await sender.send(request(2)) else {
                Issue.record("the token is not dead")
                return
            }
            #expect(age > .seconds(50) && age < .seconds(90))
            // Until a push is delivered, the configuration may be the one that is wrong.
            #expect(await sender.send(request(3)) == .refused)
            #expect(await sender.send(request(1)) == .delivered)
            #expect(await sender.send(request(3)) == .deadToken(since: nil))
        }
        try await withSender {
            $0.bundle = "org.example.Other"
        } _: { sender, _ in
            #expect(await sender.send(request(1)) == .refused)
        }
        try await withSender {
            $0.teamID = "OTHERTEAM0"
        } _: { sender, _ in
            #expect(await sender.send(request(1)) == .refused)
        }
    }

    @Test("Answers of a service in trouble")
    func trouble() async throws {
        try await withSender { sender, standIn in
            standIn.change {
                $0.scripted = [
                    (500, "InternalServerError"), (503, "ServiceUnavailable"), (429, "TooManyRequests"),
                    (413, "PayloadTooLarge"), (503, "Shutdown"),
                ]
            }
            #expect(await sender.send(request(1)) == .failed(retryAfter: .seconds(900)))
            #expect(await sender.send(request(1)) == .failed(retryAfter: .seconds(900)))
            #expect(await sender.send(request(1)) == .failed(retryAfter: .seconds(2)))
            #expect(await sender.send(request(1)) == .refused)
            #expect(await sender.send(request(1)) == .failed())
            try await eventually { await sender.send(request(1)) == .delivered }
            #expect(standIn.now.connections == 2, "one that shuts down is left")
        }
    }

    @Test("A token that the service takes for expired is not replaced within 20 minutes, which it would refuse too")
    func expired() async throws {
        try await withSender { sender, standIn in
            #expect(await sender.send(request(1)) == .delivered)
            standIn.change { $0.clockOffset = 3_700 }
            #expect(await sender.send(request(1)) == .failed(retryAfter: .seconds(2)))
            #expect(standIn.now.tokens.count == 1 && standIn.now.refusals == ["ExpiredProviderToken"])
        }
    }

    @Test("A connection that is lost is made again; one that has died in silence is left")
    func lostConnection() async throws {
        try await withSender {
            $0.timeout = .milliseconds(700)
        } _: { sender, standIn in
            #expect(await sender.send(request(1)) == .delivered)
            await standIn.dropConnections()
            try await eventually { await sender.send(request(1)) == .delivered }
            #expect(standIn.now.connections == 2)
            standIn.change { $0.isSilent = true }
            #expect(await sender.send(request(1)) == .failed())
            standIn.change { $0.isSilent = false }
            try await eventually { await sender.send(request(1)) == .delivered }
            #expect(standIn.now.connections == 3)
        }
    }

    @Test("A certificate that is not trusted, and nobody who listens: pauses between the attempts")
    func unreachable() async throws {
        try await withSender {
            $0.trustedFile = nil
        } _: { sender, standIn in
            for _ in 0..<20 {
                guard case .failed = await sender.send(request(1)) else {
                    Issue.record("it trusts the certificate")
                    return
                }
            }
            #expect(standIn.now.delivered.isEmpty && standIn.now.connections <= 5)
        }
        try await withSender { sender, standIn in
            await standIn.stop()
            guard case .failed = await sender.send(request(1)),
                case .failed(let rest) = await sender.send(request(1))
            else {
                Issue.record("there is somebody")
                return
            }
            #expect(rest > .zero)
        }
    }

    @Test("A request of another kind is none for it")
    func otherKind() async throws {
        try await withSender { sender, _ in
            let event = WebhookEvent(kind: .ringing, call: .sample(), timeLeft: .seconds(1))
            #expect(await sender.send(PushRequest(id: 1, content: .webhook(event))) == .refused)
        }
    }

    private func eventually(_ condition: () async -> Bool) async throws {
        for _ in 0..<100 {
            if await condition() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("it does not happen")
    }
}
