/// The value of `Accept-Encoding` (RFC 9110, 12.5.3), as far as gzip is concerned.
enum ContentEncodings {
  /// What a client wants of gzip.
  enum Wish {
    /// It does not take it, or would rather not.
    case no
    /// It takes it.
    case yes
    /// It takes nothing else.
    case always
  }

  static func gzip(_ field: String?) -> Wish {
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
    return identity == 0 ? .always : identity > gzip ? .no : .yes
  }
}

/// Compresses answers for clients that take it.
public struct AnswerCompression: Sendable {
  /// `http.compression`: a body of fewer bytes is left as it is.
  public let minimum: Int

  /// Gives a body in the form of gzip (RFC 1952); `nil` where that cannot be done.
  public let gzip: @Sendable ([UInt8]) -> [UInt8]?

  /// Makes a rule.
  public init(minimum: Int, gzip: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
    self.minimum = minimum
    self.gzip = gzip
  }

  /// What the tag of a compressed representation ends in.
  ///
  /// It must not have the tag of the plain one (RFC 9110, 8.8.3.3). No cursor has the plus.
  static let tagSuffix = "+gzip"

  /// Compresses the body of an answer where the client wants it and it is worth it.
  func apply(to response: inout HTTPResponse, wish: ContentEncodings.Wish) {
    guard wish != .no, case .bytes(let body) = response.body, !body.isEmpty,
      body.count >= minimum || wish == .always, Self.isText(response),
      let compressed = gzip(body), compressed.count < body.count || wish == .always
    else { return }
    response.body = .bytes(compressed)
    response.headers.append("Content-Encoding", "gzip")
    if let tag = response.headers["ETag"] {
      response.headers.replace("ETag", with: Self.suffixed(tag))
    }
  }

  private static func suffixed(_ tag: String) -> String {
    tag.hasSuffix("\"") ? tag.dropLast() + tagSuffix + "\"" : tag
  }

  private static func isText(_ response: HTTPResponse) -> Bool {
    guard let type = response.headers["Content-Type"] else { return false }
    return type.hasPrefix("text/") || type.contains("json") || type.hasPrefix("image/svg")
  }
}
