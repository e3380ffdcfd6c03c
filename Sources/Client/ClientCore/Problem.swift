public import ReactorCoding

/// Why a request, an action or a stream failed: an error response of the server (RFC 9457), or a
/// failure of the client itself, which has the status 0.
public struct Problem: Error, Hashable, Sendable {
  /// The kind of a problem: the last part of its `type`.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The name, such as `invalid-action`.
    public let rawValue: String

    /// Creates a kind.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// The kind.
  public let kind: Kind

  /// A short summary.
  public let title: String

  /// The reason and how to correct it.
  public let detail: String?

  /// The status code of the response; 0 if there was none.
  public let status: Int

  /// The shortest time after which a retry may succeed.
  public let retryAfter: Duration?

  /// The cursor of the session in the response.
  public let cursor: SessionCursor?

  /// All members of the response's problem, including those of later versions of the server.
  public let members: JSONValue

  /// The JSON Pointer of the invalid value in the request or the State.
  public var pointer: String? { members.string("pointer") }

  /// The index of the action that failed, if an array of actions was sent.
  public var index: Int? {
    guard case .number(let number)? = members["index"] else { return nil }
    return number.integer(as: Int.self)
  }

  /// The kind of a reactor's own error, or `nil` for another problem.
  public var code: String? { members.string("code") }

  /// Returns the error with which the reactor has rejected the action.
  ///
  /// ```swift
  /// catch let problem as Problem {
  ///   if case .isTooLow(let minimum) = problem.rejection(as: AuctionReactor.Rejection.self) { … }
  /// }
  /// ```
  ///
  /// - Parameter type: The type of the reactor's errors, an enum with the coding of the compiler.
  /// - Returns: The error, or `nil` for another problem, or an error that the type does not have.
  public func rejection<E: Error & Decodable>(as type: E.Type) -> E? {
    guard let code else { return nil }
    let data = members["data"]
    let forms: [JSONValue?] = [data.map { .object([.init(code, $0)]) } ?? .string(code), data]
    for case let form? in forms {
      if let error = try? JSONCoder.decode(type, from: form.bytes) { return error }
    }
    return nil
  }

  /// Whether the same request may succeed later.
  public var isTransient: Bool {
    switch kind {
    // A reactor chooses the status of its own rejections: they are final with any status.
    case .effectFailed: false
    case .unreachable, .actionRunning: true
    // Something before the server failed, or has no connection to it.
    case .notAServer: status >= 500 || [408, 425, 429].contains(status)
    default: [429, 503].contains(status)
    }
  }

  /// Whether the server itself rejected the request, and rejects it again.
  ///
  /// An error response of anything else, such as a proxy, is not final.
  package var isFinal: Bool { status != 0 && kind != .notAServer && !isTransient }

  /// Creates a problem of the client itself.
  package init(_ kind: Kind, _ title: String, _ detail: String, pointer: String? = nil) {
    self.kind = kind
    self.title = title
    self.detail = detail
    status = 0
    retryAfter = nil
    cursor = nil
    members = .object(pointer.map { [.init("pointer", .string($0))] } ?? [])
  }

  /// Creates the problem of an error response.
  ///
  /// The response is the server's only if its body is a problem of a type that the server sends with the
  /// status. Any other response, such as the page of a proxy, is of kind ``Kind/notAServer``.
  package init(_ response: TransportResponse) {
    let status = response.head.status
    let document =
      response.head.hasContent("application/problem+json")
      ? (try? JSONDocument(parsing: response.body)).map { JSONValue($0.root) } : nil
    let known = document.flatMap { Kind(type: $0.string("type"), status: status) }
    let members = known == nil ? JSONValue.null : document ?? .null
    self.status = status
    self.members = members
    kind = known ?? .notAServer
    title = members.string("title") ?? "The server responded with \(status)"
    detail = Self.detail(of: kind, members.string("detail"))
    retryAfter = response.head.retryAfter
    cursor = response.head.cursor
  }

  /// Returns the server's detail, or a detail of the client for a cause that the server cannot
  /// know.
  private static func detail(of kind: Kind, _ detail: String?) -> String? {
    switch kind {
    case .unknownAddress:
      "The server is older than this client, or the path of its URL is wrong: "
        + "update the server, or correct the URL."
    case .notAServer:
      "The response is not one of reactord: check the address, and proxies before the server."
    default: detail
    }
  }
}

extension Problem: CustomStringConvertible {
  /// Title, detail and pointer in one line.
  public var description: String {
    var text = title
    if let detail { text += ". \(detail)" }
    if let pointer, !pointer.isEmpty { text += " (at \(pointer))" }
    return text
  }
}

extension JSONValue {
  /// The content of a string member.
  package func string(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }
}
