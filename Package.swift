// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: Swift 6 mode, complete concurrency checking, warnings as errors.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),  // SE-0335
  .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
  .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
  .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
]

/// The settings of a new package, so that the tutorial's code compiles there as well.
let tutorial: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let package = Package(
  name: "reactord",
  // The versions that have `Mutex` and `Atomic`.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .executable(name: "reactord", targets: ["reactord"]),
    .library(name: "ReactorStreams", targets: ["ReactorStreams"]),
    .library(name: "ReactorRx", targets: ["ReactorRx"]),
    .library(name: "ReactorViews", targets: ["ReactorViews"]),
    .library(name: "ReactorFoundation", targets: ["ReactorFoundation"]),
    .library(name: "ReactorClient", targets: ["ReactorClient"]),
    .library(name: "ReactorSessions", targets: ["ReactorSessions"]),
    .library(name: "ReactorTesting", targets: ["ReactorTesting"]),
    .library(name: "ReactorTestingHost", targets: ["ReactorTestingHost"]),
    .library(name: "ReactorCoding", targets: ["ReactorCoding"]),
    .library(name: "ReactorCore", targets: ["ReactorCore"]),
    .library(name: "ReactorFlows", targets: ["ReactorFlows"]),
    .library(name: "ReactorHost", targets: ["ReactorHost"]),
    .library(name: "ReactorService", targets: ["ReactorService"]),
  ],
  traits: [
    .trait(name: "PostgreSQL", description: "The store postgres://, which needs libpq."),
    .default(enabledTraits: ["PostgreSQL"]),
  ],
  targets: [
    // The ledger of what clients hold of shared tables. No dependencies.
    .target(
      name: "Shares", dependencies: ["ReactorStreams"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(name: "SharesTests", dependencies: ["Shares"], swiftSettings: settings),

    // The reactive kernel: standard library, Synchronization and Dispatch only.
    .target(name: "ReactorStreams", swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(
      name: "ReactorStreamsTests",
      dependencies: ["ReactorStreams", "ReactorTesting", "StreamTestSupport"],
      swiftSettings: settings),
    // The rest of RxSwift, for code that was written for it. The daemon does not link it.
    .target(
      name: "ReactorRx", dependencies: ["ReactorStreams"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(
      name: "ReactorRxTests",
      dependencies: ["ReactorRx", "ReactorStreams", "ReactorTesting", "StreamTestSupport"],
      swiftSettings: settings),
    // Records, switches and threads for the tests of streams.
    .target(name: "StreamTestSupport", swiftSettings: settings),

    // The streams of Foundation's types. The only target that may import all of Foundation.
    .target(
      name: "ReactorFoundation", dependencies: ["ReactorStreams"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(
      name: "ReactorFoundationTests",
      dependencies: ["ReactorFoundation", "ReactorStreams", "ReactorTesting"],
      swiftSettings: settings),

    // The reactor protocol and its pipeline.
    .target(
      name: "ReactorCore", dependencies: ["ReactorStreams", "Shares"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(
      name: "ReactorCoreTests",
      dependencies: [
        "Commands", "PublicTestData", "ReactorCoding", "ReactorCore", "ReactorStreams",
      ],
      swiftSettings: settings),

    // `.rx` of UIKit's views. On Linux it is empty; a test compiles it with a part of UIKit.
    .target(
      name: "ReactorViews", dependencies: ["ReactorCore"],
      swiftSettings: settings + [.strictMemorySafety()]),

    // Flows: a stack of screens in the State of a reactor. The core does not depend on it.
    .target(
      name: "ReactorFlows", dependencies: ["ReactorCoding", "ReactorCore"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "ReactorFlowsTests",
      dependencies: [
        "LogTestSupport", "ReactorCoding", "ReactorCore", "ReactorFlows", "ReactorHost",
        "ReactorLog", "Reactors", "ReactorTesting", "SQLiteLog", "TestSupport",
      ],
      swiftSettings: settings),

    // The session of a reactor, and references to others: in a host, and in an app.
    .target(
      name: "ReactorSessions",
      dependencies: ["ReactorCoding", "ReactorCore", "ReactorLog", "ReactorStreams", "Telemetry"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "ReactorSessionsTests",
      dependencies: [
        "ReactorClient", "ReactorCore", "ReactorHost", "ReactorSessions", "ReactorStreams",
        "ReactorTestingHost", "TestSupport",
      ],
      swiftSettings: settings),

    // The test support for reactors: exact states, virtual time, timelines.
    .target(
      name: "ReactorTesting",
      dependencies: [
        "ReactorCoding", "ReactorCore", "ReactorLog", "ReactorRx", "ReactorSessions",
        "ReactorStreams", "Telemetry",
      ],
      swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(
      name: "ReactorTestingTests",
      dependencies: ["ReactorCore", "ReactorStreams", "ReactorTesting", "ReactorTestingHost"],
      swiftSettings: settings),

    // The service in the process of a test.
    .target(
      name: "ReactorTestingHost",
      dependencies: [
        "ClientCore", "ReactorClient", "ReactorCoding", "ReactorCore", "ReactorHost", "ReactorHTTP",
        "ReactorLog", "ReactorStreams", "ReactorTesting", "ReactorTransport",
      ],
      swiftSettings: settings + [.strictMemorySafety()]),

    // Reactors ported from iOS, in Swift 5 mode and in Swift 6 mode.
    .testTarget(
      name: "PortedExamplesTests", dependencies: ["ReactorCore", "ReactorTesting"],
      swiftSettings: [
        .swiftLanguageMode(.v5), .treatAllWarnings(as: .error),
        // Without it, Swift 5 warns about `map(Mutation.setUser)`. SE-0418
        .enableUpcomingFeature("InferSendableFromCaptures"),
      ]),
    .testTarget(
      name: "PortedExamplesSwift6Tests", dependencies: ["ReactorCore", "ReactorTesting"],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),

    // JSON coding of Swift values: actions as cases, pointers, patches, schemas.
    .target(
      name: "ReactorCoding", swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "ReactorCodingTests",
      dependencies: ["Commands", "PublicTestData", "RandomJSON", "ReactorCoding"],
      swiftSettings: settings),

    // The logger and the metrics that every target above the kernel uses.
    .target(name: "Telemetry", swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(name: "TelemetryTests", dependencies: ["Telemetry"], swiftSettings: settings),

    // The log protocol, its records, and the log in memory. No sessions.
    .target(
      name: "ReactorLog",
      dependencies: [
        "ReactorCoding", "Shares",
        // Elsewhere CryptoKit.
        .target(name: "Crypto", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "ReactorLogTests", dependencies: ["LogTestSupport", "ReactorLog", "TestSupport"],
      swiftSettings: settings),

    // Sessions and mailboxes. No HTTP, no C.
    .target(
      name: "ReactorHost",
      dependencies: [
        "Crypto", "ReactorCoding", "ReactorCore", "ReactorLog", "ReactorSessions", "ReactorStreams",
        "Shares", "Telemetry",
      ],
      swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(
      name: "ReactorHostTests",
      dependencies: [
        "LogTestSupport", "ReactorCoding", "ReactorCore", "ReactorHost", "ReactorLog",
        "ReactorStreams", "ReactorTesting", "Shares", "Telemetry", "TestSupport",
      ],
      swiftSettings: settings),
    // A log whose reads complete late, and reads that block, for the tests of several targets.
    .target(
      name: "LogTestSupport", dependencies: ["ReactorHost", "ReactorLog"], swiftSettings: settings),

    // Several nodes over one log: membership, placement, routing, remote sessions. No C.
    .target(
      name: "ReactorCluster",
      dependencies: [
        "ReactorCoding", "ReactorCore", "ReactorHost", "ReactorLog", "Shares", "Telemetry",
      ],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "ReactorClusterTests",
      dependencies: [
        "ReactorCluster", "ReactorCore", "ReactorHost", "ReactorLog", "Reactors", "ReactorStreams",
        "Shares", "Telemetry", "TestSupport",
      ],
      swiftSettings: settings),

    // The web pages and the JavaScript client, compiled in.
    .target(
      name: "ReactorPages",
      exclude: ["Client"],  // the modules of reactor.js and flow.js, see `make client`
      resources: [
        .embedInCode("Examples"),
        .embedInCode("Inspector"),
        .embedInCode("icon.svg"),
        .embedInCode("page.css"),
        .embedInCode("flow.d.ts"),
        .embedInCode("flow.js"),
        .embedInCode("reactor-react.d.ts"),
        .embedInCode("reactor-react.js"),
        .embedInCode("reactor-svelte.d.ts"),
        .embedInCode("reactor-svelte.js"),
        .embedInCode("reactor-vue.d.ts"),
        .embedInCode("reactor-vue.js"),
        .embedInCode("reactor.d.ts"),
        .embedInCode("reactor.js"),
        .embedInCode("token.js"),
      ],
      swiftSettings: settings),

    // The types between transport and service: requests, responses, byte streams.
    .target(
      name: "ReactorTransport", dependencies: ["Shares"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(
      name: "ReactorTransportTests", dependencies: ["ReactorTransport"], swiftSettings: settings),

    // The HTTP API: routes, problems, streams. No C.
    .target(
      name: "ReactorHTTP",
      dependencies: [
        "Crypto", "Identity", "ReactorCoding", "ReactorCore", "ReactorHost", "ReactorLog",
        "ReactorStreams", "ReactorTransport", "Shares", "Telemetry", "Zlib",
      ],
      swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(
      name: "ReactorHTTPTests",
      dependencies: [
        "ClientCore", "Crypto", "Identity", "LogTestSupport", "ReactorCoding", "ReactorCore",
        "ReactorHost", "ReactorHTTP", "ReactorLog", "ReactorStreams", "ReactorTesting",
        "ReactorTransport", "Shares", "Telemetry", "TestSupport",
      ],
      swiftSettings: settings),

    // Threads for blocking calls, and their queues.
    .systemLibrary(name: "CLinuxEvents"),
    .target(
      name: "SystemThreads", dependencies: ["CLinuxEvents"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "SystemThreadsTests", dependencies: ["SystemThreads"], swiftSettings: settings),

    // The transport: the only importer of libmicrohttpd.
    .systemLibrary(name: "CMicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .target(name: "CSocketFilter"),  // between libmicrohttpd and its sockets
    .target(
      name: "MicrohttpdServer",
      dependencies: [
        "CMicrohttpd", "CSocketFilter", "ReactorTransport", "Shares", "SystemThreads",
      ],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "MicrohttpdServerTests",
      dependencies: [
        "MicrohttpdServer", "ReactorTransport", "Shares", "SystemThreads", "TestSupport",
      ],
      swiftSettings: settings),

    // The durable log: the only importer of SQLite.
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .target(
      name: "SQLiteLog",
      dependencies: ["CSQLite", "ReactorLog", "Shares", "SystemThreads", "Telemetry"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "SQLiteLogTests",
      dependencies: [
        "Commands", "LogTestSupport", "PostgresLog", "PostgresServers", "ReactorCore",
        "ReactorHost", "ReactorLog", "ReactorStreams", "Shares", "SQLiteLog", "SystemThreads",
        "Telemetry", "TestSupport",
      ],
      swiftSettings: settings),

    // The durable log in PostgreSQL: the only importer of libpq.
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "PostgresLog",
      dependencies: ["CPostgres", "ReactorLog", "Shares", "SystemThreads", "Telemetry"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "PostgresLogTests",
      dependencies: [
        "PostgresLog", "PostgresServers", "ReactorLog", "Telemetry", "TestSupport",
      ],
      swiftSettings: settings),
    // The PostgreSQL servers of tests.
    .target(
      name: "PostgresServers", dependencies: ["Commands"],
      swiftSettings: settings),

    // The messages between the nodes of a cluster over connections of their own.
    .target(
      name: "ReactorLinks",
      dependencies: ["Crypto", "ReactorCluster", "ReactorLog", "SystemThreads", "Telemetry"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "ReactorLinksTests",
      dependencies: [
        "Crypto", "ReactorCluster", "ReactorLinks", "ReactorLog", "SystemThreads", "Telemetry",
        "TestSupport",
      ],
      swiftSettings: settings),

    // Compression of responses: the only importer of zlib.
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "Zlib", dependencies: ["CZlib"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "ZlibTests", dependencies: ["Commands", "Zlib"], swiftSettings: settings),

    // Hashes, authentication codes and signatures: the only importer of OpenSSL.
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .target(
      name: "Crypto", dependencies: ["COpenSSL"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(name: "CryptoTests", dependencies: ["Crypto"], swiftSettings: settings),

    // Principals, tokens, rights: pure except for the cryptography.
    .target(
      name: "Identity", dependencies: ["Crypto", "ReactorCoding", "ReactorCore", "Shares"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(
      name: "IdentityTests",
      dependencies: ["Crypto", "Identity", "PublicTestData", "ReactorCoding", "ReactorCore"],
      exclude: ["tokens.py"],
      swiftSettings: settings),

    // The example reactors of the daemon.
    .target(
      name: "Reactors",
      dependencies: [
        "ReactorCore", "ReactorFlows", "ReactorHost", "ReactorLog", "ReactorStreams",
      ],
      swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(
      name: "ReactorsTests",
      dependencies: [
        "Commands", "LogTestSupport", "ReactorCoding", "ReactorCore", "ReactorFlows", "ReactorHost",
        "ReactorLog", "Reactors", "ReactorStreams", "ReactorTesting",
      ],
      swiftSettings: settings),

    // The client's side of the HTTP contract as state machines: no sockets, no Foundation.
    .target(
      name: "ClientCore", dependencies: ["ReactorCoding"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "ClientCoreTests", dependencies: ["ClientCore", "RandomJSON", "ReactorCoding"],
      swiftSettings: settings),

    // The connections of a client on Linux, without Foundation: the only importer of libcurl.
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(
      name: "CurlTransport", dependencies: ["CCurl", "ClientCore", "SystemThreads"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "CurlTransportTests",
      dependencies: ["ClientCore", "Commands", "CurlTransport", "TestSupport"],
      swiftSettings: settings),

    // The Swift client of hosted reactors, for apps and servers. Builds on Apple's platforms as well.
    .target(
      name: "ReactorClient",
      dependencies: [
        "ClientCore", "ReactorCoding", "ReactorCore", "ReactorStreams",
        .target(name: "CurlTransport", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: settings + [.strictMemorySafety()]),
    .testTarget(
      name: "ReactorClientTests",
      dependencies: [
        "ClientCore", "ReactorClient", "ReactorCoding", "ReactorCore", "ReactorHost", "Reactors",
        "ReactorStreams", "ReactorTesting", "ReactorTestingHost",
      ],
      swiftSettings: settings),

    // The commands that talk to a running daemon: watch, send, health.
    .target(
      name: "TerminalClient", dependencies: ["ClientCore", "CurlTransport", "ReactorCoding"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "TerminalClientTests",
      dependencies: [
        "ClientCore", "CurlTransport", "ReactorCoding", "TerminalClient", "TestSupport",
      ],
      swiftSettings: settings),

    // Configuration, signals, wiring; and the daemon itself.
    .target(name: "CCrashMarks"),  // the handler of crash signals, which must not be Swift
    .target(
      name: "ReactorService",
      dependencies: [
        "CCrashMarks", "ClientCore", "Crypto", "CurlTransport", "Identity", "MicrohttpdServer",
        "ReactorCluster", "ReactorCoding", "ReactorHost", "ReactorHTTP", "ReactorLinks",
        "ReactorLog", "ReactorPages", "ReactorTransport", "Shares", "SQLiteLog", "SystemThreads",
        "Telemetry", "TerminalClient", "Zlib",
        // The store postgres://, which a build without libpq omits.
        .target(name: "PostgresLog", condition: .when(traits: ["PostgreSQL"])),
      ],
      resources: [.embedInCode("NewPackage/Files")],  // the files of `reactord new`
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "ReactorServiceTests",
      dependencies: [
        "ClientCore", "Crypto", "Identity", "MicrohttpdServer", "ReactorCore", "ReactorHost",
        "ReactorHTTP", "ReactorLog", "Reactors", "ReactorService", "Shares", "Telemetry",
        "TerminalClient", "TestSupport",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "reactord", dependencies: ["Reactors", "ReactorService"], swiftSettings: settings),

    // The binary over sockets, with curl and a browser.
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Commands", "ConformanceDriver", "HotPathCounts", "PostgresServers", "PublicTestData",
        "ReactorClient",
        "ReactorCoding", "ReadmeExample", "TestSupport", "adjustable", "cart", "counter-client",
        "faulty",
        "offline", "reactord", "releases", "room", "talk", "todo",
      ],
      exclude: [
        "Durability/faults.c",  // the tests compile it, to be preloaded
        "Durability/FormerStore",  // what the release before has stored
        "Identity/provider.py",
        "Identity/webhook.py",
      ],
      swiftSettings: settings),

    // The daemon with settings for its constants, for tests that reach a bound.
    .executableTarget(
      name: "adjustable",
      dependencies: ["ReactorHost", "ReactorHTTP", "Reactors", "ReactorService"],
      path: "Tests/EndToEnd/AdjustableService", swiftSettings: settings),

    // Reactors that trap or block, for tests of the process around them.
    .executableTarget(
      name: "faulty",
      dependencies: ["ReactorCore", "ReactorHost", "ReactorService", "ReactorStreams", "Reactors"],
      path: "Tests/EndToEnd/FaultyReactors", swiftSettings: settings),

    // Two releases of an application, for tests of stored data.
    .executableTarget(
      name: "releases",
      dependencies: ["ReactorCore", "ReactorHost", "ReactorService", "ReactorStreams"],
      path: "Tests/EndToEnd/TwoReleases", swiftSettings: settings),

    // An app with an offline queue, for tests that kill it.
    .executableTarget(
      name: "offline", dependencies: ["ClientCore", "ReactorClient"],
      path: "Tests/EndToEnd/OfflineApp",
      swiftSettings: settings),

    // Every parser of untrusted bytes as a function of bytes, and the corpus of `make fuzz`.
    .target(
      name: "FuzzedParsers",
      dependencies: [
        "ClientCore", "Crypto", "Identity", "MicrohttpdServer", "ReactorCluster", "ReactorCoding",
        "ReactorCore", "ReactorHost", "ReactorHTTP", "ReactorLinks", "ReactorLog", "Reactors",
        "ReactorService", "ReactorTransport",
      ],
      path: "Tests/Tools/Fuzzing/FuzzedParsers", swiftSettings: settings),
    .testTarget(name: "FuzzingTests", dependencies: ["FuzzedParsers"], swiftSettings: settings),
    // `make costs`: the CPU time per byte of each parser, in an optimised build.
    .executableTarget(
      name: "ParserCosts", dependencies: ["FuzzedParsers"], path: "Tests/Tools/Fuzzing/ParserCosts",
      swiftSettings: settings),

    // Random JSON values for property tests.
    .target(
      name: "RandomJSON", dependencies: ["ReactorCoding"],
      swiftSettings: settings),

    // The helpers of several test targets.
    .target(name: "TestSupport", swiftSettings: settings),
    // Programs that tests, and programs that measure, run to their end.
    .target(name: "Commands", swiftSettings: settings),

    // The location of public test data.
    .target(name: "PublicTestData", swiftSettings: settings),

    // The example of the README, which a test compares and runs.
    .executableTarget(
      name: "ReadmeExample", dependencies: ["ReactorCore", "ReactorHost", "ReactorService"],
      path: "Tests/Examples/ReadmeExample",
      swiftSettings: settings),

    // The package of the guide "Users and rights", which `reactord new cart --example cart` writes.
    .target(
      name: "CartReactors", dependencies: ["ReactorCore", "ReactorHost"],
      path: "Tests/Examples/UsersAndRights/Sources/CartReactors", swiftSettings: tutorial),
    .executableTarget(
      name: "cart", dependencies: ["CartReactors", "ReactorHost", "ReactorService"],
      path: "Tests/Examples/UsersAndRights/Sources/cart", swiftSettings: tutorial),
    .testTarget(
      name: "CartReactorsTests", dependencies: ["CartReactors", "ReactorTesting"],
      path: "Tests/Examples/UsersAndRights/Tests/CartReactorsTests", swiftSettings: tutorial),

    // The reactors of the tutorial "Sessions that talk to each other".
    .executableTarget(
      name: "talk", dependencies: ["ReactorCore", "ReactorHost", "ReactorService"],
      path: "Tests/Examples/SessionsThatTalk", swiftSettings: settings),

    // The package of the tutorial, which has a manifest of its own.
    .target(
      name: "Rooms", dependencies: ["ReactorCore"], path: "Tests/Examples/Tutorial/Sources/Rooms",
      swiftSettings: tutorial),
    .executableTarget(
      name: "room", dependencies: ["ReactorHost", "ReactorService", "Rooms"],
      path: "Tests/Examples/Tutorial/Sources/room", swiftSettings: tutorial),
    .testTarget(
      name: "RoomsTests", dependencies: ["ReactorTesting", "Rooms"],
      path: "Tests/Examples/Tutorial/Tests/RoomsTests", swiftSettings: tutorial),

    // The package that `reactord new todo` writes, which has a manifest of its own.
    .target(
      name: "TodoReactors", dependencies: ["ReactorCore"],
      path: "Tests/Examples/NewPackage/Sources/TodoReactors", swiftSettings: tutorial),
    .executableTarget(
      name: "todo", dependencies: ["ReactorHost", "ReactorService", "TodoReactors"],
      path: "Tests/Examples/NewPackage/Sources/todo", swiftSettings: tutorial),
    .testTarget(
      name: "TodoReactorsTests", dependencies: ["ReactorTesting", "TodoReactors"],
      path: "Tests/Examples/NewPackage/Tests/TodoReactorsTests", swiftSettings: tutorial),

    // The package of the client's guide, which has a manifest of its own.
    .executableTarget(
      name: "counter-client", dependencies: ["ReactorClient"],
      path: "Tests/Examples/ClientPackage/Sources/counter-client", swiftSettings: tutorial),

    // `make bench`: the benchmarks and their peers.
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "AllocationCounter", "BareHandler", "ClientCore", "Crypto", "Identity", "LogTestSupport",
        "PostgresServers", "ReactorClient", "ReactorCore", "ReactorFlows", "ReactorHost",
        "ReactorHTTP", "ReactorLog", "Reactors", "ReactorStreams", "ReactorTransport",
        "SampleToken", "SQLiteLog", "StreamLoad", "StreamPeer", "reactord",
      ],
      exclude: [
        "Load/cluster.lua", "Load/post.lua", "Servers/nchan.conf", "Servers/plain-server.js",
      ],
      swiftSettings: settings),
    .testTarget(name: "BenchmarksTests", dependencies: ["Benchmarks"], swiftSettings: settings),
    // Counts allocations of the hot path, which a test compares with counts.json.
    .executableTarget(
      name: "HotPathCounts",
      dependencies: [
        "AllocationCounter", "Identity", "ReactorCore", "ReactorHost", "ReactorHTTP",
        "ReactorStreams", "ReactorTransport", "SampleToken", "StreamChains",
      ], exclude: ["counts.json", "system-calls.json"],
      swiftSettings: settings),
    .target(name: "AllocationCounter"),
    // Chains of streams that are counted and measured, and a program that measures them: beside RxSwift, whose
    // program config/build-peer builds from the same files.
    .target(name: "StreamChains", dependencies: ["ReactorRx"], swiftSettings: settings),
    .executableTarget(
      name: "StreamPeer", dependencies: ["AllocationCounter", "StreamChains"],
      swiftSettings: settings),
    // `make differential`: the events of random chains, which are compared with RxSwift's.
    .executableTarget(
      name: "RandomChains", dependencies: ["ReactorRx", "ReactorTesting"], swiftSettings: settings),
    // Drives the Swift client in the conformance suite for clients, Tests/Tools/ClientConformance.
    .executableTarget(
      name: "ConformanceDriver", dependencies: ["ReactorClient"], swiftSettings: settings),
    // A token and its key, for programs that measure.
    .target(name: "SampleToken", swiftSettings: settings),
    // `make hostile`: abusive clients beside well-behaved ones.
    .executableTarget(
      name: "Hostile", dependencies: ["PostgresServers", "reactord"], exclude: ["bounds.txt"],
      swiftSettings: settings),
    .testTarget(name: "HostileTests", dependencies: ["Hostile"], swiftSettings: settings),
    .executableTarget(
      name: "StreamLoad", linkerSettings: [.linkedLibrary("m")]),
    .testTarget(
      name: "StreamLoadTests", dependencies: ["Commands", "StreamLoad", "TestSupport"],
      swiftSettings: settings),
    .executableTarget(
      name: "BareHandler",
      linkerSettings: [.linkedLibrary("microhttpd")]),
  ]
)

// `make fuzz`: libFuzzer defines `main`, so only its build can link this target.
if Context.environment["REACTORD_FUZZING"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Fuzzer", dependencies: ["FuzzedParsers"], path: "Tests/Tools/Fuzzing/Fuzzer",
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}

/// The targets of each group: the folder of a target is that of its group, `Sources/Kit/ReactorCore` and
/// `Tests/Kit/ReactorCoreTests`, and `PART` can name a group for its tests.
let groups = [
  // Reactors and their streams, on a phone as well.
  "Kit": [
    "ReactorCore", "ReactorFlows", "ReactorFoundation", "ReactorRx", "ReactorSessions",
    "ReactorStreams", "ReactorTesting", "ReactorViews", "Shares",
  ],
  // Client and server share these.
  "Wire": ["ReactorCoding", "ReactorLog", "Telemetry"],
  // A server with one node.
  "Server": [
    "Crypto", "Identity", "MicrohttpdServer", "ReactorHTTP", "ReactorHost", "ReactorPages",
    "ReactorService", "ReactorTestingHost", "ReactorTransport", "SQLiteLog", "SystemThreads",
    "Zlib", "reactord",
  ],
  // The store and the links of several nodes.
  "Cluster": ["PostgresLog", "ReactorCluster", "ReactorLinks"],
  "Client": ["ClientCore", "CurlTransport", "ReactorClient", "TerminalClient"],
  // One target for each library in C.
  "Doors": [
    "CCrashMarks", "CCurl", "CLinuxEvents", "CMicrohttpd", "COpenSSL", "CPostgres", "CSQLite",
    "CSocketFilter", "CZlib",
  ],
  "Examples": [
    "CartReactors", "PortedExamples", "PortedExamplesSwift6", "Reactors", "Rooms", "TodoReactors",
  ],
  "EndToEnd": ["EndToEnd"],
  // Several test targets and tools use these.
  "Support": [
    "AllocationCounter", "Commands", "LogTestSupport", "PostgresServers", "PublicTestData",
    "RandomJSON", "SampleToken", "StreamTestSupport", "TestSupport",
  ],
  "Tools": [
    "BareHandler", "Benchmarks", "ConformanceDriver", "Fuzzing", "Hostile", "HotPathCounts",
    "RandomChains",
    "StreamChains", "StreamLoad", "StreamPeer",
  ],
]

for (group, names) in groups {
  for target in package.targets where target.path == nil {
    let subject = target.isTest ? String(target.name.dropLast("Tests".count)) : target.name
    guard names.contains(subject) else { continue }
    let top = target.isTest || ["Support", "Tools"].contains(group) ? "Tests" : "Sources"
    target.path = "\(top)/\(group)/\(target.name)"
  }
}

// `make test PART=ReactorHostTests`: only these targets, or the tests of groups, separated by commas, and the
// ones they need, so that a change of one part builds and links its tests alone.
if let part = Context.environment["REACTORD_PART"] {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var names: Set<String> = []
  for name in part.split(separator: ",").map(String.init) {
    let group = groups.first { $0.key.lowercased() == name }?.value.map { $0 + "Tests" }
    names.formUnion(group?.filter { targets[$0] != nil } ?? [name])
  }
  var unvisited = Array(names)
  while let name = unvisited.popLast() {
    guard let target = targets[name] else { fatalError("REACTORD_PART names no target: \(name)") }
    for case .byNameItem(let dependency, _) in target.dependencies
    where names.insert(dependency).inserted { unvisited.append(dependency) }
    for case .targetItem(let dependency, _) in target.dependencies
    where names.insert(dependency).inserted { unvisited.append(dependency) }
  }
  package.targets.removeAll { !names.contains($0.name) }
  package.products.removeAll()
}
