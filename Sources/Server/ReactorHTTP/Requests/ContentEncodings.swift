/// The value of `Accept-Encoding` (RFC 9110, 12.5.3) with regard to gzip.
enum ContentEncodings {
  /// Whether a client accepts gzip.
  enum Acceptance {
    /// The client does not accept gzip, or prefers the plain form.
    case no
    case yes
    /// The client accepts only gzip.
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
