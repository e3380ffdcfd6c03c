// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "todo",
  dependencies: [.package(path: "../reactord")],
  targets: [
    .target(
      name: "TodoReactors",
      dependencies: [.product(name: "ReactorCore", package: "reactord")]),
    .executableTarget(
      name: "todo",
      dependencies: [
        "TodoReactors",
        .product(name: "ReactorHost", package: "reactord"),
        .product(name: "ReactorService", package: "reactord"),
      ]),
    .testTarget(
      name: "TodoReactorsTests",
      dependencies: [
        "TodoReactors", .product(name: "ReactorTesting", package: "reactord"),
      ]),
  ]
)
