// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every Swift target: Swift 6 mode, complete concurrency checking, no warning
/// survives.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),  // SE-0335
  .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
  .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
  .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
]

/// What a new package has, so that what the tutorial shows compiles there as it does here.
let tutorial: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let package = Package(
  name: "reactord",
  products: [
    .executable(name: "reactord", targets: ["reactord"]),
    .library(name: "ReactorStreams", targets: ["ReactorStreams"]),
    .library(name: "ReactorTesting", targets: ["ReactorTesting"]),
    .library(name: "ReactorCore", targets: ["ReactorCore"]),
    .library(name: "ReactorHost", targets: ["ReactorHost"]),
    .library(name: "ReactorService", targets: ["ReactorService"]),
  ],
  targets: [
    // The reactive kernel: standard library and Synchronization only.
    .target(name: "ReactorStreams", swiftSettings: settings),
    .testTarget(
      name: "ReactorStreamsTests", dependencies: ["ReactorStreams", "ReactorTesting"],
      swiftSettings: settings),

    // What a reactor is, and the pipeline that runs one.
    .target(name: "ReactorCore", dependencies: ["ReactorStreams"], swiftSettings: settings),
    .testTarget(
      name: "ReactorCoreTests", dependencies: ["ReactorCoding", "ReactorCore", "ReactorStreams"],
      swiftSettings: settings),

    // Exact states, virtual time, drawn timelines: users test their reactors as we test ours.
    .target(
      name: "ReactorTesting", dependencies: ["ReactorCore", "ReactorStreams"],
      swiftSettings: settings),
    .testTarget(
      name: "ReactorTestingTests",
      dependencies: ["ReactorCore", "ReactorStreams", "ReactorTesting"], swiftSettings: settings),

    // What the authors of reactors write on iOS, moved over: once as it stands there, in Swift 5, and
    // once in Swift 6.
    .testTarget(
      name: "PortedExamplesTests", dependencies: ["ReactorCore", "ReactorTesting"],
      swiftSettings: [
        .swiftLanguageMode(.v5), .treatAllWarnings(as: .error),
        // What Swift 6 knows of `map(Mutation.setUser)`; without it, Swift 5 warns. SE-0418
        .enableUpcomingFeature("InferSendableFromCaptures"),
      ]),
    .testTarget(
      name: "PortedExamplesSwift6Tests", dependencies: ["ReactorCore", "ReactorTesting"],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),

    // JSON to and from Swift values: the case shapes of actions, pointers, schemas.
    .target(name: "ReactorCoding", swiftSettings: settings),
    .testTarget(
      name: "ReactorCodingTests", dependencies: ["PublicTestData", "ReactorCoding"],
      swiftSettings: settings),

    // Sessions, mailboxes, the log. No HTTP, no C.
    .target(
      name: "ReactorHost", dependencies: ["ReactorCoding", "ReactorCore", "ReactorStreams"],
      swiftSettings: settings),
    .testTarget(
      name: "ReactorHostTests",
      dependencies: ["ReactorCoding", "ReactorCore", "ReactorHost", "ReactorStreams"],
      swiftSettings: settings),

    // The contract with clients: routes, problems, streams. No C.
    .target(
      name: "ReactorHTTP",
      dependencies: ["ReactorCoding", "ReactorCore", "ReactorHost", "ReactorStreams"],
      resources: [
        .embedInCode("Client/reactor.d.ts"),
        .embedInCode("Client/reactor.js"),
        .embedInCode("Examples/chat.html"),
        .embedInCode("Examples/chat.js"),
        .embedInCode("Examples/counter.html"),
        .embedInCode("Examples/counter.js"),
        .embedInCode("Examples/examples.css"),
        .embedInCode("Examples/examples.html"),
        .embedInCode("Examples/examples.js"),
        .embedInCode("Examples/profile.html"),
        .embedInCode("Examples/profile.js"),
        .embedInCode("Examples/stopwatch.html"),
        .embedInCode("Examples/stopwatch.js"),
        .embedInCode("Examples/weather.html"),
        .embedInCode("Examples/weather.js"),
        .embedInCode("Page/inspector/access.js"),
        .embedInCode("Page/inspector/actions.js"),
        .embedInCode("Page/inspector/catalogue.js"),
        .embedInCode("Page/inspector/charts.js"),
        .embedInCode("Page/inspector/effects.js"),
        .embedInCode("Page/inspector/elements.js"),
        .embedInCode("Page/inspector/inspector.css"),
        .embedInCode("Page/inspector/inspector.js"),
        .embedInCode("Page/inspector/timeline.js"),
        .embedInCode("Page/inspector/tree.js"),
        .embedInCode("Page/icon.svg"),
        .embedInCode("Page/index.html"),
        .embedInCode("Page/page.css"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ReactorHTTPTests",
      dependencies: [
        "ReactorCoding", "ReactorCore", "ReactorHost", "ReactorHTTP", "ReactorStreams",
      ],
      swiftSettings: settings),

    // Threads for what blocks, below the transport and the durable log. No C library.
    .target(name: "SystemThreads", swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "SystemThreadsTests", dependencies: ["SystemThreads"], swiftSettings: settings),

    // The transport: the only importer of libmicrohttpd.
    .systemLibrary(name: "CLinuxEvents"),
    .systemLibrary(name: "CMicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .target(
      name: "MicrohttpdServer",
      dependencies: ["CLinuxEvents", "CMicrohttpd", "ReactorHTTP", "SystemThreads"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "MicrohttpdServerTests", dependencies: ["MicrohttpdServer", "ReactorHTTP"],
      swiftSettings: settings),

    // The durable log: the only importer of SQLite.
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .target(
      name: "SQLiteLog", dependencies: ["CSQLite", "ReactorHost", "SystemThreads"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(
      name: "SQLiteLogTests",
      dependencies: ["ReactorCore", "ReactorHost", "ReactorStreams", "SQLiteLog"],
      swiftSettings: settings),

    // Compression of answers: the only importer of zlib.
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "Zlib", dependencies: ["CZlib"],
      swiftSettings: settings + [.strictMemorySafety()]),  // SE-0458
    .testTarget(name: "ZlibTests", dependencies: ["Zlib"], swiftSettings: settings),

    // The reactors that ship, each also a worked example.
    .target(
      name: "Reactors", dependencies: ["ReactorCore", "ReactorHost", "ReactorStreams"],
      swiftSettings: settings),
    .testTarget(
      name: "ReactorsTests",
      dependencies: [
        "ReactorCore", "ReactorHost", "Reactors", "ReactorStreams", "ReactorTesting",
      ],
      swiftSettings: settings),

    // Configuration, signals, wiring; and the daemon itself.
    .target(
      name: "ReactorService",
      dependencies: [
        "MicrohttpdServer", "ReactorCoding", "ReactorHost", "ReactorHTTP", "SQLiteLog", "Zlib",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ReactorServiceTests", dependencies: ["ReactorHost", "ReactorService", "reactord"],
      swiftSettings: settings),
    .executableTarget(
      name: "reactord", dependencies: ["Reactors", "ReactorService"], swiftSettings: settings),

    // The real binary over real sockets, curl and a browser.
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["HotPathCounts", "PublicTestData", "ReadmeExample", "reactord", "room"],
      exclude: ["Durability/faults.c"],  // the tests compile it, to be preloaded
      swiftSettings: settings),

    // Every parser that faces the network, as something that takes any bytes; and the corpus of
    // `make fuzz`.
    .target(
      name: "FuzzedParsers",
      dependencies: ["ReactorCoding", "ReactorHTTP", "ReactorHost", "ReactorService", "Reactors"],
      path: "Tests/Fuzzing/FuzzedParsers", swiftSettings: settings),
    .testTarget(name: "FuzzingTests", dependencies: ["FuzzedParsers"], swiftSettings: settings),

    // Where the test cases are that others published.
    .target(name: "PublicTestData", path: "Tests/PublicTestData", swiftSettings: settings),

    // The example of the README, which a test compares with it and runs.
    .executableTarget(
      name: "ReadmeExample", dependencies: ["ReactorCore", "ReactorHost", "ReactorService"],
      path: "Tests/ReadmeExample", swiftSettings: settings),

    // The package that the tutorial builds; its own manifest stands beside it.
    .target(
      name: "Rooms", dependencies: ["ReactorCore"], path: "Tests/Tutorial/Sources/Rooms",
      swiftSettings: tutorial),
    .executableTarget(
      name: "room", dependencies: ["ReactorHost", "ReactorService", "Rooms"],
      path: "Tests/Tutorial/Sources/room", swiftSettings: tutorial),
    .testTarget(
      name: "RoomsTests", dependencies: ["ReactorTesting", "Rooms"],
      path: "Tests/Tutorial/Tests/RoomsTests", swiftSettings: tutorial),

    // `make bench`: ratios of one run, and what they are compared with.
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "AllocationCounter", "BareHandler", "ReactorCore", "ReactorHost", "ReactorHTTP",
        "ReactorStreams", "Reactors", "SQLiteLog", "StreamLoad", "reactord",
      ],
      path: "Tests/Benchmarks",
      exclude: ["Load/post.lua", "Servers/nchan.conf", "Servers/plain-server.js"],
      swiftSettings: settings),
    .testTarget(name: "BenchmarksTests", dependencies: ["Benchmarks"], swiftSettings: settings),
    // What the hot path costs, counted: a test compares it with counts.json.
    .executableTarget(
      name: "HotPathCounts",
      dependencies: [
        "AllocationCounter", "ReactorCore", "ReactorHost", "ReactorHTTP", "ReactorStreams",
      ],
      path: "Tests/HotPathCounts", exclude: ["counts.json", "system-calls.json"],
      swiftSettings: settings),
    .target(name: "AllocationCounter", path: "Tests/AllocationCounter"),
    .executableTarget(
      name: "StreamLoad", path: "Tests/StreamLoad", linkerSettings: [.linkedLibrary("m")]),
    .testTarget(name: "StreamLoadTests", dependencies: ["StreamLoad"], swiftSettings: settings),
    .executableTarget(
      name: "BareHandler", path: "Tests/BareHandler",
      linkerSettings: [.linkedLibrary("microhttpd")]),
  ]
)

// `make fuzz`: libFuzzer brings the `main`, so that only a build for it can link this.
if Context.environment["REACTORD_FUZZING"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Fuzzer", dependencies: ["FuzzedParsers"], path: "Tests/Fuzzing/Fuzzer",
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}
