internal import Glibc
internal import ReactorTransport

/// The host names under which the service can be addressed.
///
/// Protects a service on a loopback address against DNS rebinding: a foreign page whose name
/// resolves to that address sends its own name in `Host`.
package enum AcceptedHosts: Sendable, Equatable {
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
    if case .any = self { return }
    guard let field = request[header: .host] else { return }
    let isAccepted = unsafe WireText(field).withUTF8 { bytes in
      if case .loopback = self, unsafe Self.isUsualLoopback(bytes) { return true }
      let name = unsafe Self.withoutPort(bytes)
      return switch self {
      case .any: true
      case .loopback: unsafe Self.isLoopback(name)
      case .names(let names): names.contains(unsafe String(asciiFrom: name).lowercased())
      }
    }
    guard isAccepted else {
      throw Problem(
        .misdirectedRequest,
        "This service is not addressed by the name in Host. The setting http.hosts lists its names."
      )
    }
  }

  /// Returns the name in a value of `Host`: lowercase, without port and final dot.
  package static func name(of field: String) -> String {
    unsafe WireText(field).withUTF8 {
      unsafe String(asciiFrom: withoutPort($0)).lowercased()
    }
  }

  private static func withoutPort(
    _ field: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8> {
    var name = unsafe field[...]
    let end = unsafe name.lastIndex(of: UInt8(ascii: "]")) ?? name.startIndex
    if let colon = unsafe name[end...].firstIndex(of: UInt8(ascii: ":")) {
      unsafe name = name[..<colon]
    }
    if unsafe name.last == UInt8(ascii: ".") { unsafe name = name.dropLast() }
    return unsafe UnsafeBufferPointer(rebasing: name)
  }

  /// Whether a value is `127.0.0.1` with or without a port, the value in nearly every request to a
  /// local service.
  private static func isUsualLoopback(_ field: UnsafeBufferPointer<UInt8>) -> Bool {
    let usual: StaticString = "127.0.0.1"
    let length = usual.utf8CodeUnitCount
    guard field.count >= length, let start = field.baseAddress,
      unsafe memcmp(start, usual.utf8Start, length) == 0
    else { return false }
    guard field.count > length else { return true }
    for index in length + 1..<field.count {
      guard unsafe field[index] &- UInt8(ascii: "0") < 10 else { return false }
    }
    return unsafe field[length] == UInt8(ascii: ":")
  }

  /// Whether a name is `localhost`, a name below it, or a loopback address.
  ///
  /// Compares bytes without a string: every request of a local service is checked.
  private static func isLoopback(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    let localhost: StaticString = "localhost"
    let length = localhost.utf8CodeUnitCount
    let suffix = unsafe zip(
      name.suffix(length), UnsafeBufferPointer(start: localhost.utf8Start, count: length))
    guard name.count >= length, unsafe suffix.allSatisfy({ $0 | 0x20 == $1 }) else {
      return unsafe ClientAddress(utf8: name)?.isLoopback == true
    }
    return unsafe name.count == length || name[name.count - length - 1] == UInt8(ascii: ".")
  }
}
