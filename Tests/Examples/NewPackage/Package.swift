// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "todo",
  dependencies: [.package(path: "../reactord")],
  targets: [
    // The reactor, also for phones, needs ReactorCore. ReactorFlows adds flows of screens,
    // ReactorSessions sends to other sessions, ReactorRx the rest of RxSwift.
    .target(
      name: "TodoReactors",
      dependencies: [.product(name: "ReactorCore", package: "reactord")]),
    // The daemon: ReactorHost registers reactors, ReactorService has the command line and the store. An
    // app or another program that uses the daemon needs ReactorClient instead.
    .executableTarget(
      name: "todo",
      dependencies: [
        "TodoReactors",
        .product(name: "ReactorHost", package: "reactord"),
        .product(name: "ReactorService", package: "reactord"),
      ]),
    // ReactorTesting tests a reactor by its exact states; ReactorTestingHost tests a hosted one.
    .testTarget(
      name: "TodoReactorsTests",
      dependencies: [
        "TodoReactors", .product(name: "ReactorTesting", package: "reactord"),
      ]),
  ]
)
