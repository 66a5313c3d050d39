// swift-tools-version: 6.2
import PackageDescription

// Measures the engine from inside one process: set-up, memory, and the cores without sockets.
// `make bench` runs it beside the other engines; see docs/performance.md.
let package = Package(
    name: "duet-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "duet", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    ],
    targets: [
        .executableTarget(
            name: "duet-benchmarks",
            dependencies: [
                .product(name: "RTC", package: "duet"),
                .product(name: "RTCWire", package: "duet"),
                .product(name: "RTCTransport", package: "duet"),
                .product(name: "RTCMedia", package: "duet"),
                .product(name: "RTCPeer", package: "duet"),
                .product(name: "RTCFrames", package: "duet"),
                .product(name: "RTCSimulation", package: "duet"),
                .product(name: "RTCCrypto", package: "duet"),
                .product(name: "RTCSignaling", package: "duet"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")])
    ]
)
