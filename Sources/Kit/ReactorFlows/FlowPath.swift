internal import ReactorCoding

/// The text of a path: `/` and percent-encoded parts.
enum FlowPath {
  /// The maximum length of a path, in bytes.
  static let byteLimit = 2_048

  /// The maximum number of parts.
  static let partLimit = 64

  /// The parts of a path, decoded, or `nil` if it is malformed or exceeds a limit.
  static func parts(of path: String) -> [String]? {
    let bytes = path.utf8
    guard bytes.count <= byteLimit, bytes.first == slash else { return nil }
    if bytes.count == 1 { return [] }
    let parts = bytes.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
    guard parts.count <= partLimit else { return nil }
    let decoded = parts.compactMap { PercentEncoding.decode($0) }
    return decoded.count == parts.count ? decoded : nil
  }

  static func append(_ part: String, to path: inout [UInt8]) {
    path.append(slash)
    PercentEncoding.append(part, to: &path)
  }

  private static let slash = UInt8(ascii: "/")
}
