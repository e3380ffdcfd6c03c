import Foundation
import PublicTestData

/// Keys and tokens that independent libraries have created, see `tokens.py`.
struct TokenSamples: Decodable {
  struct KeySet: Codable {
    var keys: [[String: String]]
  }

  let jwks: KeySet
  let pem: [String: String]
  let certificates: [String: String]
  /// Four further public keys on P-256.
  let spare: [[String: String]]
  let privatePEM: String
  let pyjwt: [String: String]
  let joserfc: [String: String]
  let accepted: [String: String]
  let attacks: [String: String]

  /// The time at which the tokens are valid.
  static let now: Int64 = 1_800_000_000

  static let samples = Result { try make() }

  private static func make() throws -> TokenSamples {
    let python = PublicTestData.python.appending(path: "bin/python").path
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "tokens.py")
      .path
    // Use `popen` and not `Process`: a `Process` detects the end by a descriptor that other
    // processes, started at the same time, can inherit and hold open.
    guard let output = popen("'\(python)' -W ignore '\(script)' \(now)", "re") else {
      throw POSIXError(.EIO)
    }
    defer { pclose(output) }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, output), count > 0 {
      data.append(contentsOf: buffer[..<count])
    }
    return try JSONDecoder().decode(TokenSamples.self, from: data)
  }

  /// Returns the set of all keys as a file.
  func keyFile(_ change: (inout [[String: String]]) -> Void = { _ in }) throws -> [UInt8] {
    var set = jwks
    change(&set.keys)
    return Array(try JSONEncoder().encode(set))
  }
}
