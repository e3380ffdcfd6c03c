// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "counter-client",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../reactord")],
  targets: [
    .executableTarget(
      name: "counter-client",
      dependencies: [.product(name: "ReactorClient", package: "reactord")])
  ]
)
