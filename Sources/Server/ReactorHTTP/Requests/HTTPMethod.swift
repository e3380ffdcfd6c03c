internal import Glibc
internal import ReactorTransport

/// The request methods that the service distinguishes; every other method is `other`.
enum HTTPMethod: Int, CaseIterable {
  case get, post, put, delete, head, options, other

  init(_ text: WireText) {
    self = unsafe text.withUTF8 { text in
      Self.allCases.first { unsafe $0.isNamed(text) } ?? .other
    }
  }

  private func isNamed(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard token.utf8CodeUnitCount == text.count, let start = text.baseAddress else { return false }
    return unsafe memcmp(token.utf8Start, start, text.count) == 0
  }

  /// The name as requests write it, and as metrics and logs label it.
  var name: String { "\(token)" }

  private var token: StaticString {
    switch self {
    case .get: "GET"
    case .post: "POST"
    case .put: "PUT"
    case .delete: "DELETE"
    case .head: "HEAD"
    case .options: "OPTIONS"
    case .other: "other"
    }
  }

  /// Whether the method only reads (RFC 9110, 9.2.1).
  var isSafe: Bool { self == .get || self == .head || self == .options }
}
