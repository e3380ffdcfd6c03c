internal import ReactorService

/// Parses arbitrary bytes as a configuration file, as flags and as an environment variable.
enum ConfigurationFuzzing {
  static func run(_ bytes: [UInt8]) {
    _ = try? Configuration.parse(
      arguments: ["serve", "--config", "file"], environment: [:], readFile: { _ in bytes })
    let words = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    for command in ["serve", "health", "log"] {
      _ = try? Configuration.parse(
        arguments: [command] + words, environment: [:], readFile: { _ in bytes })
    }
    guard let name = words.first else { return }
    let value = words.dropFirst().joined(separator: "\n")
    _ = try? Configuration.parse(
      arguments: ["serve"], environment: ["REACTORD_" + name: value], readFile: { _ in bytes })
  }
}
