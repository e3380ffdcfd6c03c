internal import ReactorTransport

/// Compresses responses for clients that accept gzip.
package struct ResponseCompression: Sendable {
  /// `http.compression`: the size of the smallest body that is compressed.
  package let minimum: Int

  /// Compresses a body in the gzip format (RFC 1952); returns `nil` on failure.
  package let gzip: @Sendable ([UInt8]) -> [UInt8]?

  /// Creates a rule.
  package init(minimum: Int, gzip: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
    self.minimum = minimum
    self.gzip = gzip
  }

  /// Whether compressing a response takes so long that other requests must not wait for it.
  func isExpensive(_ response: HTTPResponse, for acceptance: ContentEncodings.Acceptance) -> Bool {
    guard case .bytes(let body) = response.body, body.count >= Limits.foregroundCompression else {
      return false
    }
    return applies(to: response, body, for: acceptance)
  }

  /// Compresses the body if the client accepts gzip and the result is smaller, or if the client
  /// accepts only gzip.
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
      && Self.isText(response) && !Self.isPart(response)
  }

  private static func suffixed(_ tag: String) -> String {
    tag.hasSuffix("\"") ? tag.dropLast() + EntityTags.gzipSuffix + "\"" : tag
  }

  /// Whether the body is encoded already, or a part of a representation.
  private static func isPart(_ response: HTTPResponse) -> Bool {
    response.status == 206 || response.headers["Content-Encoding"] != nil
  }

  private static func isText(_ response: HTTPResponse) -> Bool {
    guard let type = response.headers["Content-Type"] else { return false }
    return type.hasPrefix("text/") || type.contains("json") || type.hasPrefix("image/svg")
  }
}
