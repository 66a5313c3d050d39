// swift-tools-version: 6.2
import PackageDescription

// Feeds the parsers and the state machines with bytes that nobody would send. `make fuzz` runs every target for a
// while; what crashed one is kept in Tests/FuzzTests/CrashCases, where `make test` tries it again for ever.
let package = Package(
    name: "duet-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "duet", path: ".."),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.90.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    ],
    targets: [
        // What a target does with its bytes. The tests of the main package compile the same files.
        .target(
            name: "FuzzTargets",
            dependencies: [
                .product(name: "RTCWire", package: "duet"),
                .product(name: "RTCTransport", package: "duet"),
                .product(name: "RTCMedia", package: "duet"),
                .product(name: "RTCPeer", package: "duet"),
                .product(name: "RTCSimulation", package: "duet"),
                .product(name: "RTCFrames", package: "duet"),
                .product(name: "RTCCodecs", package: "duet"),
                .product(name: "RTC", package: "duet"),
                .product(name: "OAuth", package: "duet"),
                .product(name: "NATS", package: "duet"),
                .product(name: "RTCSignaling", package: "duet"),
                .product(name: "WebRTCKit", package: "duet"),
                .product(name: "RTCWebCall", package: "duet"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .target(name: "CLibFuzzer"),
        // Hands a target's bytes from libFuzzer to it.
        .executableTarget(
            name: "duet-fuzz",
            dependencies: ["FuzzTargets", "CLibFuzzer"],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
    ]
)
