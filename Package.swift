// swift-tools-version: 6.2
import PackageDescription

// The order of the targets is the order of the layers: a target imports only targets above it.

/// Strictness that every target shares.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Core targets are sans-IO: no Foundation, no NIO, no clock, no random source of their own.
let core = strict + [.enableExperimentalFeature("Lifetimes")]

/// Tests are compiled as they stand, which takes half the time; what they test is optimized. Except those that do much by themselves
/// (RTCTransportSRTPTests: 2 s instead of 130, RTCSimulationTests), or count what it allocates: they would count their own.
let plain: [SwiftSetting] = [.unsafeFlags(["-Onone"])]

// Where servers run as services of swift-service-lifecycle.
let servers: [Platform] = [.linux, .macOS]

let package = Package(
    name: "duet",
    platforms: [.iOS(.v18), .macOS(.v15), .visionOS(.v2)],
    // What somebody adds on purpose. The cores are no products: their types that these expose are exported by them.
    products: [
        .library(name: "RTCWire", targets: ["RTCWire"]),
        .library(name: "RTCSimulation", targets: ["RTCSimulation"]),
        .library(name: "RTCFrames", targets: ["RTCFrames"]),
        // For an app that brings its own libopus (docs/codecs.md).
        .library(name: "CDuetOpus", targets: ["CDuetOpus"]),
        .library(name: "RTC", targets: ["RTC"]),
        .library(name: "OAuth", targets: ["OAuth"]),
        .library(name: "NATS", targets: ["NATS"]),
        .library(name: "RTCSignaling", targets: ["RTCSignaling"]),
        .library(name: "RTCSignalingService", targets: ["RTCSignalingService"]),
        .library(name: "RTCSignalingOAuth", targets: ["RTCSignalingOAuth"]),
        .library(name: "RTCSignalingPush", targets: ["RTCSignalingPush"]),
        .library(name: "RTCSignalingNATS", targets: ["RTCSignalingNATS"]),
        .library(name: "RTCDevices", targets: ["RTCDevices"]),
        .library(name: "RTCMediaFiles", targets: ["RTCMediaFiles"]),
        .library(name: "RTCViews", targets: ["RTCViews"]),
        .library(name: "WebRTCKit", targets: ["WebRTCKit"]),
        .library(name: "RTCWebView", targets: ["RTCWebView"]),
        .library(name: "RTCWebCall", targets: ["RTCWebCall"]),
        .executable(name: "duet", targets: ["duet"]),
        .executable(name: "duet-demo", targets: ["duet-demo"]),
    ],
    traits: [
        .trait(name: "WebKitGTK", description: "The web view on Linux. WebKitGTK itself is found when a program runs."),
        .trait(
            name: "GStreamer",
            description: "Devices, films and recordings on Linux. GStreamer itself is found when a program runs."),
        .default(enabledTraits: ["WebKitGTK", "GStreamer"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.90.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.40.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        .target(name: "RTCWire", swiftSettings: core),
        .target(name: "RTCTransport", dependencies: ["RTCWire"], swiftSettings: core),
        .target(name: "RTCMedia", dependencies: ["RTCWire"], swiftSettings: core),
        .target(name: "RTCPeer", dependencies: ["RTCWire", "RTCTransport", "RTCMedia"], swiftSettings: core),
        .target(
            name: "RTCSimulation", dependencies: ["RTCWire", "RTCTransport", "RTCMedia", "RTCPeer"], swiftSettings: core
        ),
        .target(name: "RTCFrames", dependencies: ["RTCWire"], swiftSettings: core),
        .target(
            name: "RTCCrypto",
            dependencies: ["RTCWire", "RTCTransport", .product(name: "NIOSSL", package: "swift-nio-ssl")],
            swiftSettings: core),
        // The codecs' libraries, by their headers or by declarations of our own; they are loaded when the program runs, and may be
        // missing then.
        .target(name: "CDuetOpus"),
        .target(name: "CVPX"),
        .target(name: "COpenH264"),
        .target(
            name: "RTCCodecs",
            dependencies: [
                "RTCWire", "RTCMedia", "RTCFrames", "CDuetOpus",
                .target(name: "CVPX", condition: .when(platforms: [.linux])),
                .target(name: "COpenH264", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: core),
        // This machine's interfaces, and names.
        .target(
            name: "RTCNetwork",
            dependencies: [
                "RTCWire", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: core),
        .target(
            name: "RTC",
            dependencies: [
                "RTCWire", "RTCTransport", "RTCMedia", "RTCPeer", "RTCFrames", "RTCCrypto", "RTCCodecs", "RTCNetwork",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: core),
        // A client of NATS, for a signalling server on many machines.
        .target(
            name: "NATS",
            dependencies: [
                "RTCWire", "RTCCrypto", "RTCNetwork",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // The call page's files as bytes of the program.
        .target(name: "CCallPage", exclude: ["Files"]),
        // What a program measures, for Prometheus to fetch.
        .target(
            name: "PrometheusMetrics",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        // What the signalling client knows of a source of credentials, and sign-in of those who use it.
        .target(name: "RTCCredentials", swiftSettings: strict),
        .target(
            name: "RTCSignaling",
            dependencies: [
                "RTCWire", "RTCCrypto", "RTCNetwork", "PrometheusMetrics", "RTCCredentials", "CCallPage",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict),
        // A signalling server among the services of a program.
        .target(
            name: "RTCSignalingService",
            dependencies: [
                "RTCSignaling",
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(platforms: servers)),
            ],
            swiftSettings: strict),
        // libsecret, by its header; without it there is no place for tokens on Linux.
        .target(name: "CSecret"),
        .target(
            name: "OAuth",
            dependencies: [
                "RTCWire", "RTCTransport", "RTCCrypto", "RTCCredentials",
                .target(name: "CSecret", condition: .when(platforms: [.linux])),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        // A signalling server that verifies tokens.
        .target(name: "RTCSignalingOAuth", dependencies: ["RTCSignaling", "OAuth"], swiftSettings: strict),
        // A signalling server that wakes devices: by a webhook, and by Apple's push service.
        .target(
            name: "RTCSignalingPush",
            dependencies: [
                "RTCSignaling", "OAuth", "RTCCrypto", "RTCWire",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // A signalling server that shares its state with others over NATS.
        .target(name: "RTCSignalingNATS", dependencies: ["RTCSignaling", "NATS"], swiftSettings: strict),
        // GStreamer and GTK, likewise by their headers; without them there are no film files and no windows.
        .target(name: "CGStreamer"),
        // GIO's D-Bus: without it there is no camera portal and no orientation sensor.
        .target(name: "CGIO"),
        .target(
            name: "RTCDevices",
            dependencies: [
                "RTCWire", "RTCFrames", .target(name: "CGStreamer", condition: .when(platforms: [.linux])),
                .target(name: "CGIO", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: core),
        // Files: recordings, films in place of devices, photos, Y4M and WAV. It drives GStreamer by what RTCDevices has for it.
        .target(
            name: "RTCMediaFiles",
            dependencies: [
                "RTCWire", "RTCFrames", "RTCDevices",
                .target(name: "CGStreamer", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: core),
        .target(name: "CGTK"),
        .target(
            name: "RTCViews",
            dependencies: ["RTCWire", "RTCFrames", .target(name: "CGTK", condition: .when(platforms: [.linux]))],
            swiftSettings: core),
        .target(
            name: "WebRTCKit",
            dependencies: [
                "RTC", "RTCPeer", "RTCMedia", "RTCFrames", "RTCTransport", "RTCWire", "RTCCrypto", "RTCDevices",
                "RTCMediaFiles", "RTCViews", "RTCCredentials", "RTCSignaling",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // What the programs share: calls from a shell, and lines of JSON.
        .target(
            name: "DuetShell",
            dependencies: [
                "WebRTCKit", "RTC", "RTCPeer", "RTCMedia", "RTCFrames", "RTCTransport", "RTCWire", "RTCDevices",
                "RTCMediaFiles", "RTCViews", "RTCSignaling",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // A program of its own, so that a first look compiles no web view and no parser of arguments.
        .executableTarget(
            name: "duet-demo",
            dependencies: [
                "DuetShell", "RTC", "RTCPeer", "RTCFrames", "RTCTransport", "RTCWire", "RTCMediaFiles", "RTCViews",
                "RTCSignaling",
            ],
            swiftSettings: strict),
        // WebKitGTK, likewise.
        .target(name: "CWebKit"),
        .target(
            name: "RTCWebView",
            dependencies: [
                "RTCWire", "RTCFrames", "OAuth", "RTCDevices", "RTCViews",
                .target(name: "CGTK", condition: .when(platforms: [.linux])),
                .target(name: "CWebKit", condition: .when(platforms: [.linux], traits: ["WebKitGTK"])),
            ],
            swiftSettings: strict),
        .target(
            name: "RTCWebCall", dependencies: ["WebRTCKit", "RTCWebView", "RTCSignaling"],
            swiftSettings: strict),
        .executableTarget(
            name: "duet",
            dependencies: [
                "DuetShell", "WebRTCKit", "RTCWebView", "RTCWebCall", "OAuth", "RTCSignalingService",
                "PrometheusMetrics",
                "RTC", "RTCNetwork", "RTCPeer", "RTCMedia", "RTCFrames", "RTCCodecs", "RTCTransport", "RTCWire",
                "RTCDevices", "RTCMediaFiles", "RTCViews", "RTCSignaling", "RTCSignalingOAuth", "RTCSignalingPush",
                "RTCSignalingNATS", "NATS",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(platforms: servers)),
            ],
            swiftSettings: strict),

        // Tests. All are built at once, with `-enable-testing`, and in release: see the Makefile.
        .target(name: "AllocationCounting"),
        .target(
            name: "EventLoopTesting",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(name: "RTCWireTests", dependencies: ["RTCWire"], swiftSettings: core + plain),
        .testTarget(name: "RTCTransportTests", dependencies: ["RTCWire", "RTCTransport"], swiftSettings: core + plain),
        // Millions of packets through a stand-in for the ciphers.
        .testTarget(name: "RTCTransportSRTPTests", dependencies: ["RTCWire", "RTCTransport"], swiftSettings: core),
        .testTarget(name: "RTCMediaTests", dependencies: ["RTCWire", "RTCMedia"], swiftSettings: core + plain),
        .testTarget(name: "RTCFramesTests", dependencies: ["RTCWire", "RTCFrames"], swiftSettings: core + plain),
        .testTarget(
            name: "RTCCodecsTests", dependencies: ["RTCWire", "RTCMedia", "RTCFrames", "CDuetOpus", "RTCCodecs"],
            swiftSettings: core + plain),
        .testTarget(
            name: "RTCPeerTests", dependencies: ["RTCWire", "RTCTransport", "RTCMedia", "RTCPeer", "RTCSimulation"],
            swiftSettings: core + plain),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "RTCWire", "RTCTransport", "RTCMedia", "RTCPeer", "RTCSimulation", "RTCFrames", "RTCCodecs",
                "RTCCrypto", "RTCNetwork", "OAuth", "NATS", "RTCSignaling", "RTCSignalingPush", "WebRTCKit",
                "RTCWebView",
                "RTCWebCall",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["CrashCases"], swiftSettings: [.swiftLanguageMode(.v6)] + plain),
        .testTarget(
            name: "RTCSimulationTests",
            dependencies: [
                "RTCWire", "RTCTransport", "RTCMedia", "RTCPeer", "RTCSimulation", "RTCCrypto", "AllocationCounting",
            ],
            swiftSettings: core),
        .testTarget(
            name: "RTCCryptoTests",
            dependencies: ["RTCWire", "RTCTransport", "RTCCrypto", .product(name: "NIOSSL", package: "swift-nio-ssl")],
            swiftSettings: core + plain),
        .testTarget(
            name: "RTCNetworkTests",
            dependencies: [
                "RTCNetwork", "RTCWire", "EventLoopTesting",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: core + plain),
        .testTarget(
            name: "RTCTests",
            dependencies: [
                "RTC", "RTCNetwork", "EventLoopTesting", "RTCWire", "RTCTransport", "RTCMedia", "RTCPeer", "RTCFrames",
                "RTCCrypto", "RTCCodecs",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: core + plain),
        // What a key-value store on NATS promises, as cases for any of them, and a model that keeps it in virtual time.
        // Not optimized: the compiler would end with signal 11 while it splits a coroutine of these.
        .target(name: "NATSConformance", dependencies: ["NATS", "RTCWire"], swiftSettings: strict + plain),
        .testTarget(
            name: "NATSTests",
            dependencies: [
                "NATS", "NATSConformance", "RTCSignaling", "RTCSignalingNATS", "RTCWire",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict + plain),
        .executableTarget(name: "NATSProbe", dependencies: ["NATS", "NATSConformance"], swiftSettings: strict + plain),
        .testTarget(
            name: "PrometheusMetricsTests",
            dependencies: [
                "PrometheusMetrics",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: strict + plain),
        .testTarget(
            name: "OAuthTests",
            dependencies: [
                "OAuth", "RTCCredentials", "RTCCrypto", "RTCTransport", "RTCWire",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict + plain),
        .testTarget(
            name: "RTCSignalingTests",
            dependencies: [
                "RTCSignaling", "RTCSignalingService", "PrometheusMetrics", "RTCSignalingOAuth", "OAuth", "RTCCrypto",
                "RTCWire",
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(platforms: servers)),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict + plain),
        .testTarget(
            name: "RTCSignalingPushTests",
            dependencies: [
                "RTCSignalingPush", "RTCSignaling", "OAuth", "RTCCrypto", "RTCWire",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict + plain),
        .testTarget(
            name: "RTCDevicesTests",
            dependencies: [
                "RTCDevices", "RTCMediaFiles", "RTCFrames", "RTCWire", "AllocationCounting",
                .target(name: "CGStreamer", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: strict + plain),
        .testTarget(
            name: "RTCMediaFilesTests", dependencies: ["RTCMediaFiles", "RTCDevices", "RTCFrames", "RTCWire"],
            swiftSettings: strict + plain),
        .executableTarget(
            name: "DeviceProbe", dependencies: ["RTCDevices", "RTCFrames", "RTCWire"],
            swiftSettings: strict),
        .testTarget(
            name: "RTCViewsTests", dependencies: ["RTCViews", "RTCFrames", "RTCWire", "WindowProbe"],
            swiftSettings: strict + plain),
        .executableTarget(
            name: "WindowProbe", dependencies: ["RTCViews", "RTCMediaFiles", "RTCFrames", "RTCWire"],
            swiftSettings: strict),
        .testTarget(
            name: "WebRTCKitTests",
            dependencies: [
                "WebRTCKit", "RTC", "RTCPeer", "RTCMedia", "RTCFrames", "RTCTransport", "RTCWire", "RTCCrypto",
                "RTCSimulation", "RTCSignaling", "RTCDevices", "RTCViews",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict + plain),
        .testTarget(
            name: "RTCWebViewTests",
            dependencies: [
                "RTCWebView", "OAuth", "RTCDevices", "RTCWire",
            ],
            swiftSettings: strict + plain),
        .testTarget(
            name: "RTCWebCallTests",
            dependencies: [
                "RTCWebCall", "RTCWebView", "WebRTCKit", "RTCSignaling", "RTCWire",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict + plain),
        .executableTarget(
            name: "WebViewProbe", dependencies: ["RTCWebView", "RTCWebCall", "RTCViews", "OAuth", "RTCWire"],
            swiftSettings: strict),
        // The snippets of the original WebRTCKit's README as they stand there: with an app's settings, not with ours.
        .testTarget(
            name: "WebRTCKitSnippetTests", dependencies: ["WebRTCKit"], exclude: ["Listings.txt"],
            swiftSettings: [.swiftLanguageMode(.v6)] + plain),
        .testTarget(
            name: "DuetShellTests",
            dependencies: [
                "DuetShell", "RTC", "RTCPeer", "RTCMedia", "RTCFrames", "RTCDevices", "RTCSignaling", "WebRTCKit",
            ],
            swiftSettings: strict + plain),
        .testTarget(
            name: "DuetDemoTests", dependencies: ["duet-demo", "DuetShell", "RTCFrames"],
            swiftSettings: strict + plain),
        .testTarget(
            name: "DuetTests",
            dependencies: [
                "duet", "DuetShell", "RTC", "RTCPeer", "RTCFrames", "RTCMedia", "RTCTransport", "RTCWire", "RTCDevices",
                "RTCSignaling", "WebRTCKit", "RTCWebView", "OAuth", "RTCCrypto",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict + plain),

        // Measures the engine from inside one process: `make bench` runs it beside the other engines. It sees what is `package`.
        .executableTarget(
            name: "duet-benchmarks",
            dependencies: [
                "RTCWire", "RTCTransport", "RTCMedia", "RTCPeer", "RTCSimulation", "RTCFrames", "RTCCrypto",
                "RTCCodecs", "RTC",
                "RTCMediaFiles", "RTCSignaling",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Benchmarks/Sources/duet-benchmarks",
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
    ]
)

// The fuzz targets are built with a sanitizer in every module, which needs a build of its own: Scripts/fuzz sets DUET_FUZZING. Their files
// are those of FuzzTests, whose tests repeat what crashed one.
if Context.environment["DUET_FUZZING"] != nil {
    package.targets.removeAll { $0.name == "FuzzTests" }
    package.targets += [
        .target(
            name: "FuzzTargets",
            dependencies: [
                "RTCWire", "RTCTransport", "RTCMedia", "RTCPeer", "RTCSimulation", "RTCFrames", "RTCCodecs",
                "RTCCrypto", "RTCNetwork", "OAuth", "NATS", "RTCSignaling", "RTCSignalingPush", "WebRTCKit",
                "RTCWebView",
                "RTCWebCall",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "FuzzTesting/Sources/FuzzTargets",
            swiftSettings: [
                .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .target(name: "CLibFuzzer", path: "FuzzTesting/Sources/CLibFuzzer"),
        // Hands a target's bytes from libFuzzer to it.
        .executableTarget(
            name: "duet-fuzz", dependencies: ["FuzzTargets", "CLibFuzzer"], path: "FuzzTesting/Sources/duet-fuzz",
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
    ]
}

// The floors: where in Sources and in Tests each target is. Within Core nothing leaves the process; Engine has the sockets, ciphers and
// codecs; the Shims are headers of libraries that Linux has.
let floors = [
    "Core": ["RTCWire", "RTCTransport", "RTCMedia", "RTCPeer", "RTCSimulation"],
    "Engine": ["RTCFrames", "RTCCrypto", "RTCCodecs", "RTCNetwork", "RTC"],
    "Signaling": [
        "NATS", "CCallPage", "RTCCredentials", "RTCSignaling", "RTCSignalingService", "PrometheusMetrics", "OAuth",
        "RTCSignalingOAuth", "RTCSignalingPush", "RTCSignalingNATS",
    ],
    "Devices": ["RTCDevices", "RTCMediaFiles", "RTCViews"],
    "Kit": ["WebRTCKit"],
    "Web": ["RTCWebView", "RTCWebCall"],
    "Tools": ["DuetShell", "duet-demo", "duet"],
    "Shims": ["CDuetOpus", "CVPX", "COpenH264", "CGStreamer", "CGIO", "CGTK", "CSecret", "CWebKit"],
]
let testFloors = [
    "Core": [
        "RTCWireTests", "RTCTransportTests", "RTCTransportSRTPTests", "RTCMediaTests", "RTCPeerTests",
        "RTCSimulationTests", "AllocationCounting",
    ],
    "Engine": [
        "RTCFramesTests", "RTCCryptoTests", "RTCCodecsTests", "RTCNetworkTests", "RTCTests", "EventLoopTesting",
    ],
    "Signaling": [
        "NATSConformance", "NATSTests", "NATSProbe", "PrometheusMetricsTests", "OAuthTests", "RTCSignalingTests",
        "RTCSignalingPushTests",
    ],
    "Devices": ["RTCDevicesTests", "RTCMediaFilesTests", "RTCViewsTests", "DeviceProbe", "WindowProbe"],
    "Kit": ["WebRTCKitTests", "WebRTCKitSnippetTests"],
    "Web": ["RTCWebViewTests", "RTCWebCallTests", "WebViewProbe"],
    "Tools": ["DuetShellTests", "DuetDemoTests", "DuetTests"],
]
for (base, floors) in [("Sources", floors), ("Tests", testFloors)] {
    for (floor, names) in floors {
        for target in package.targets where names.contains(target.name) {
            target.path = "\(base)/\(floor)/\(target.name)"
        }
    }
}

// The privacy manifests, which Xcode collects into an app's report: they say which system calls that need a reason a target makes, and
// why. Linux has no use for them, and for its programs they would be folders to carry along.
for target in package.targets where ["RTC", "OAuth", "RTCDevices", "RTCWebView"].contains(target.name) {
    #if os(Linux)
        target.exclude.append("PrivacyInfo.xcprivacy")
    #else
        target.resources = [.copy("PrivacyInfo.xcprivacy")]
    #endif
}

// Programs that drive what Linux alone has: its windows, its web view, its virtual devices.
#if !os(Linux)
    let onLinux: Set = ["DeviceProbe", "WindowProbe", "WebViewProbe", "RTCViewsTests"]
    package.targets.removeAll { onLinux.contains($0.name) }
#endif

// The command line and the demo start programs, which an iPhone lets nobody do: for its simulator, DUET_LIBRARIES_ONLY=1 leaves them
// out.
if Context.environment["DUET_LIBRARIES_ONLY"] != nil {
    let programs: Set = ["duet", "duet-demo"]
    package.products.removeAll { programs.contains($0.name) }
    let parts = programs.union(["duet-benchmarks", "DuetShell", "DuetTests", "DuetShellTests", "DuetDemoTests"])
    package.targets.removeAll { parts.contains($0.name) }
}
