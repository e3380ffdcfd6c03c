internal import ReactorTransport

/// The host names under which the service can be addressed.
///
/// Protects a service on a loopback address against DNS rebinding: a foreign page whose name
/// resolves to that address sends its own name in `Host`.
public enum AcceptedHosts: Sendable, Equatable {
  /// Any name.
  case any

  /// `localhost`, names below it, and the loopback addresses.
  case loopback

  /// These names, in lowercase and without ports.
  case names(Set<String>)

  /// Rejects a request for another host with 421.
  ///
  /// A request without `Host` (HTTP/1.0) is accepted: no browser sends one.
  func check(_ request: HTTPRequest) throws(Problem) {
    guard self != .any, let field = request[header: .host] else { return }
    let name = Self.name(of: field)
    let isAccepted =
      switch self {
      case .any: true
      case .loopback: Self.isLoopback(name)
      case .names(let names): names.contains(name)
      }
    guard isAccepted else {
      throw Problem(
        .misdirectedRequest,
        "This service is not addressed by the name in Host. The setting http.hosts lists its names."
      )
    }
  }

  /// The name in a value of `Host`: lowercase, without port and final dot.
  public static func name(of field: String) -> String {
    var bytes = field.utf8[...]
    let end = bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
    if let colon = bytes[end...].firstIndex(of: UInt8(ascii: ":")) { bytes = bytes[..<colon] }
    if bytes.last == UInt8(ascii: ".") { bytes = bytes.dropLast() }
    return String(asciiFrom: bytes).lowercased()
  }

  private static func isLoopback(_ name: String) -> Bool {
    name == "localhost" || name.hasSuffix(".localhost")
      || ClientAddress(name)?.isLoopback == true
  }
}
