internal import ClientCore
internal import CurlTransport
internal import Identity
internal import Synchronization
internal import SystemThreads

/// The response of a provider.
struct ProviderResponse: Sendable, Equatable {
  var status: Int
  var body: [UInt8]

  /// The entity tag with its quotes, or `nil` without one.
  var tag: String?

  /// The seconds for which the response may be used, by `Cache-Control`, or `nil` if it does not say so.
  var maxAge: Int64?
}

/// The reason why a provider's response cannot be used.
struct ProviderFailure: Error, Equatable {
  /// The reason as a part of a sentence.
  let reason: String
}

/// Sends a request to a provider and returns its response.
typealias ProviderFetch =
  @Sendable (_ url: ProviderURL, _ tag: String?) async -> Result<ProviderResponse, ProviderFailure>

/// The connections to one server that stay open between requests.
///
/// All methods may be called on any thread.
final class ProviderConnections: Sendable {
  private struct Idle: Sendable {
    // Proof: an object is either in the list, whose lock orders its users, or with the one thread that has taken it.
    // libcurl permits any thread to use a handle, one at a time (libcurl-thread(3)).
    nonisolated(unsafe) let transfers: Transfers
  }

  private let idle = Mutex<[Idle]>([])

  /// Removes the connection that was used last, or returns `nil` if none is open.
  fileprivate func take() -> Transfers? { unsafe idle.withLock { $0.popLast() }?.transfers }

  /// The maximum number of connections without a request: each has three descriptors.
  static let bound = 8

  /// Adds a connection without a request, or closes it beyond the bound.
  fileprivate func put(_ transfers: Transfers) {
    let connection = Idle(transfers: transfers)
    idle.withLock { idle in
      if idle.count < Self.bound { idle.append(connection) }
    }
  }
}

/// Requests to providers over libcurl: TLS 1.2 or later with the certificates of the system, or of `SSL_CERT_FILE`.
enum ProviderHTTP {
  /// The time limit of a response, with its redirects.
  static let timeout = Duration.seconds(5)

  /// The maximum size of a response in bytes.
  static let sizeLimit = 1_048_576

  /// The number of redirects that are followed, to addresses of the same host only.
  static let redirectLimit = 3

  /// Gets a document, unless it has the entity tag.
  static let get: ProviderFetch = { url, tag in
    await document(at: url, unlessTagged: tag, within: timeout)
  }

  /// Gets a document, unless it has the entity tag.
  static func document(
    at url: ProviderURL, unlessTagged tag: String?, within timeout: Duration
  ) async -> Result<ProviderResponse, ProviderFailure> {
    var fields = [TransportRequest.Field("Accept", "application/json")]
    if let tag { fields.append(.init("If-None-Match", tag)) }
    return await send(TransportRequest("GET", "", fields: fields, timeout: timeout), to: url)
  }

  /// Sends a request, whose path is that of the URL, on a thread of its own.
  ///
  /// The callers bound the number of requests at a time: one per provider, and those of ``ProviderQueue``.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - url: The URL.
  ///   - connections: The open connections to use, for requests that may be sent twice, or `nil` for a new one.
  /// - Returns: The response.
  static func send(
    _ request: TransportRequest, to url: ProviderURL, over connections: ProviderConnections? = nil
  ) async -> Result<ProviderResponse, ProviderFailure> {
    await withCheckedContinuation { continuation in
      // The exchange blocks. Threads of Dispatch also execute the tasks of Swift, which would wait for it.
      let thread = SystemThread(named: "provider") {
        continuation.resume(
          returning: Result { () throws(ProviderFailure) in
            try exchange(request, with: url, connections)
          })
      }
      if thread == nil {
        continuation.resume(
          returning: .failure(ProviderFailure(reason: "the system cannot create a thread")))
      }
    }
  }

  private static func exchange(
    _ request: TransportRequest, with url: ProviderURL, _ connections: ProviderConnections?
  ) throws(ProviderFailure) -> ProviderResponse {
    let deadline = ContinuousClock.now + request.timeout
    var url = url
    for _ in 0...redirectLimit {
      let (head, body) = try exchange(request, with: url, connections, before: deadline)
      guard (301...308).contains(head.status), request.method == "GET", head.status != 304 else {
        return ProviderResponse(
          status: head.status, body: body, tag: head["etag"],
          maxAge: head["cache-control"].flatMap(maxAge))
      }
      guard let next = head["location"].flatMap({ url.redirected(to: $0) }) else {
        throw ProviderFailure(reason: "it redirects to another host")
      }
      url = next
    }
    throw ProviderFailure(reason: "it redirects more than \(redirectLimit) times")
  }

  private static func exchange(
    _ request: TransportRequest, with url: ProviderURL, _ connections: ProviderConnections?,
    before deadline: ContinuousClock.Instant
  ) throws(ProviderFailure) -> (TransportHead, [UInt8]) {
    guard
      let address = ServerAddress(url.authority)
        ?? ServerAddress(url.authority + (url.isSecure ? ":443" : ":80"))
    else { throw ProviderFailure(reason: "\(url.authority) is no host with a port") }
    var request = request
    request.path = url.path.dropFirst() + url.query
    var head: TransportHead?
    var body: [UInt8] = []
    do throws(ConnectionFailure) {
      let transfers =
        connections?.take()
        ?? Transfers(to: HTTPOrigin(address, isSecure: url.isSecure), connections: 1)
      try transfers.exchange(
        request, isRepeatable: connections != nil, waitingAtMost: { max(.zero, deadline - .now) }
      ) { event in
        switch event {
        case .head(let received): head = received
        case .bytes(let bytes): body += bytes
        case .end: break
        }
        return body.count <= sizeLimit
      }
      // After a failure the connection is not used again.
      connections?.put(transfers)
    } catch {
      throw ProviderFailure(reason: error.detail)
    }
    guard let head, body.count <= sizeLimit else {
      throw ProviderFailure(reason: "its response has more than \(sizeLimit) bytes")
    }
    return (head, body)
  }

  /// Returns the seconds of `max-age` (RFC 9111, 5.2.2.1), 0 with `no-cache` and `no-store`, or `nil` without them.
  static func maxAge(of field: String) -> Int64? {
    var seconds: Int64?
    for directive in field.utf8.split(separator: UInt8(ascii: ",")) {
      let text = String(Substring(directive)).lowercased().filter { $0 != " " && $0 != "\t" }
      if text == "no-store" || text == "no-cache" { return 0 }
      let name = "max-age="
      guard seconds == nil, text.hasPrefix(name) else { continue }
      let digits = text.dropFirst(name.count)
      guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        continue
      }
      seconds = Int64(digits) ?? .max
    }
    return seconds
  }
}
