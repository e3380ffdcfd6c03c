internal import Glibc
internal import ReactorCoding

/// The first message of a broker on a new connection, which states its version.
///
/// libnats does not expose the version.
public struct BrokerGreeting: Equatable, Sendable {
  /// The version in numbers; those that cannot be read are 0.
  public let version: [Int]

  /// The version as the broker states it.
  public let versionText: String

  /// The maximum size of a message, in bytes.
  public let maximumPayload: Int

  /// Whether JetStream is enabled on this broker.
  public let hasJetStream: Bool

  /// Reads a greeting: `INFO {...}`, or `nil` for any other text.
  public init?(_ line: [UInt8]) {
    guard line.starts(with: "INFO ".utf8),
      let root = try? JSONDocument(parsing: Array(line.dropFirst(5))).root
    else { return nil }
    versionText = root["version"]?.string ?? ""
    let core = versionText.prefix { $0.isNumber || $0 == "." }
    version = core.split(separator: ".").map { Int($0) ?? 0 }
    maximumPayload =
      root["max_payload"].flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
    hasJetStream = root["jetstream"]?.boolean ?? false
  }

  /// Whether the version is at least another one.
  public func isAtLeast(_ minimum: Int...) -> Bool {
    !version.lexicographicallyPrecedes(minimum)
  }

  /// Connects to a broker and reads its greeting.
  ///
  /// Blocks for at most a few seconds.
  ///
  /// - Parameter url: An address of the form `nats://HOST:PORT`.
  /// - Returns: The greeting, or `nil` if there is none.
  public static func read(from url: String) -> BrokerGreeting? {
    guard let (host, port) = NATSAddresses.hostAndPort(of: url) else { return nil }
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, "\(port)", &hints, &found) == 0 else { return nil }
    defer { unsafe freeaddrinfo(found) }
    var next = unsafe found
    while let address = unsafe next {
      if let line = unsafe firstLine(of: address.pointee) { return BrokerGreeting(line) }
      unsafe next = address.pointee.ai_next
    }
    return nil
  }

  /// The first line of a connection, without its end; at most 32 KiB.
  @unsafe private static func firstLine(of address: addrinfo) -> [UInt8]? {
    let descriptor = unsafe socket(
      address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), address.ai_protocol)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 2, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    // `SO_SNDTIMEO` limits the time of `connect` as well.
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    guard unsafe connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else { return nil }
    var line: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while line.count < 32_768 {
      let count = unsafe recv(descriptor, &part, part.count, 0)
      guard count > 0 else { return nil }
      line += part[..<count]
      if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
        return Array(line[..<end].filter { $0 != UInt8(ascii: "\r") })
      }
    }
    return nil
  }
}
