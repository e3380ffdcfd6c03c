// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "room",
  dependencies: [.package(path: "../reactord")],
  targets: [
    .target(
      name: "Rooms",
      dependencies: [.product(name: "ReactorCore", package: "reactord")]),
    .executableTarget(
      name: "room",
      dependencies: [
        "Rooms",
        .product(name: "ReactorHost", package: "reactord"),
        .product(name: "ReactorService", package: "reactord"),
      ]),
    .testTarget(
      name: "RoomsTests",
      dependencies: ["Rooms", .product(name: "ReactorTesting", package: "reactord")]),
  ]
)
