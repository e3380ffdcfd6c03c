internal import ReactorService

/// Parses arbitrary bytes as a configuration file, as flags and as an environment variable.
enum ConfigurationFuzzing {
  static func run(_ bytes: [UInt8]) {
    _ = try? Configuration.parse(
      arguments: ["serve", "--config", "file"], environment: [:], readFile: { _ in bytes })
    let words = bytes.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
    for command in ["serve", "health", "log"] {
      _ = try? Configuration.parse(
        arguments: [command] + words, environment: [:], readFile: { _ in bytes })
    }
    // Limit the name: the environment is a dictionary, and hashing a name of combining marks takes
    // quadratic time.
    guard let name = words.first, name.utf8.count <= 1_024 else { return }
    let value = words.dropFirst().joined(separator: "\n")
    _ = try? Configuration.parse(
      arguments: ["serve"], environment: ["REACTORD_" + name: value], readFile: { _ in bytes })
  }
}
