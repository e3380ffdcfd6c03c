internal import ReactorTransport

/// The value of `Accept-Encoding` (RFC 9110, 12.5.3) with regard to gzip.
enum ContentEncodings {
  /// Whether a client accepts gzip.
  enum Acceptance {
    /// Not at all, or less than the plain form.
    case no
    case yes
    /// It accepts nothing else.
    case only
  }

  static func gzip(_ field: String?) -> Acceptance {
    guard let field else { return .no }
    var qualities: [String: Double] = [:]
    for item in field.split(separator: ",") {
      let parts = item.split(separator: ";").map { $0.trimmingSpaces().lowercased() }
      guard let name = parts.first, !name.isEmpty else { continue }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) }
      qualities[name == "x-gzip" ? "gzip" : name] = (quality ?? 1) ?? 0
    }
    let gzip = qualities["gzip"] ?? qualities["*"] ?? 0
    guard gzip > 0 else { return .no }
    guard let identity = qualities["identity"] else { return .yes }
    return identity == 0 ? .only : identity > gzip ? .no : .yes
  }
}

/// Compresses responses for clients that accept gzip.
public struct ResponseCompression: Sendable {
  /// `http.compression`: the size of the smallest body that is compressed.
  public let minimum: Int

  /// Compresses a body in the gzip format (RFC 1952); returns `nil` on failure.
  public let gzip: @Sendable ([UInt8]) -> [UInt8]?

  /// Creates a rule.
  public init(minimum: Int, gzip: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
    self.minimum = minimum
    self.gzip = gzip
  }

  /// The suffix of the entity tag of a compressed representation.
  ///
  /// It must differ from the tag of the plain one (RFC 9110, 8.8.3.3). No cursor contains a plus.
  static let tagSuffix = "+gzip"

  /// Whether compressing a response takes so long that other requests must not wait for it.
  func isExpensive(_ response: HTTPResponse, for acceptance: ContentEncodings.Acceptance) -> Bool {
    guard case .bytes(let body) = response.body, body.count >= Limits.foregroundCompression else {
      return false
    }
    return applies(to: response, body, for: acceptance)
  }

  /// Compresses the body if the client accepts gzip and the result is smaller.
  func apply(to response: inout HTTPResponse, for acceptance: ContentEncodings.Acceptance) {
    guard case .bytes(let body) = response.body, applies(to: response, body, for: acceptance),
      let compressed = gzip(body), compressed.count < body.count || acceptance == .only
    else { return }
    response.body = .bytes(compressed)
    response.headers.append("Content-Encoding", "gzip")
    if let tag = response.headers["ETag"] {
      response.headers.replace("ETag", with: Self.suffixed(tag))
    }
  }

  private func applies(
    to response: HTTPResponse, _ body: [UInt8], for acceptance: ContentEncodings.Acceptance
  ) -> Bool {
    acceptance != .no && !body.isEmpty && (body.count >= minimum || acceptance == .only)
      && Self.isText(response)
  }

  private static func suffixed(_ tag: String) -> String {
    tag.hasSuffix("\"") ? tag.dropLast() + tagSuffix + "\"" : tag
  }

  private static func isText(_ response: HTTPResponse) -> Bool {
    guard let type = response.headers["Content-Type"] else { return false }
    return type.hasPrefix("text/") || type.contains("json") || type.hasPrefix("image/svg")
  }
}
