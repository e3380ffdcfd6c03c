/// A request of the client, to which the transport adds `Host` and the framing.
public struct TransportRequest: Hashable, Sendable {
  /// A header field.
  public struct Field: Hashable, Sendable {
    /// The name.
    public var name: String

    /// The value, without line breaks.
    public var value: String

    /// Creates a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The method, such as `GET`.
  public var method: String

  /// The path below the server's URL, with its query and without a leading slash:
  /// `v1/reactors/counter/sessions/demo/state`.
  public var path: String

  /// The header fields.
  public var fields: [Field]

  /// The body, or `nil` for none.
  public var body: [UInt8]?

  /// The time without a byte of the response after which a transport gives up.
  public var timeout: Duration

  /// Creates a request.
  public init(
    _ method: String = "GET", _ path: String, fields: [Field] = [], body: [UInt8]? = nil,
    timeout: Duration = .seconds(30)
  ) {
    self.method = method
    self.path = path
    self.fields = fields
    self.body = body
    self.timeout = timeout
  }

  /// Whether the request can be repeated on another connection if the first one was closed without a
  /// byte of the response (RFC 9110, 9.2.2).
  package var isRepeatable: Bool {
    method != "POST" || fields.contains { $0.name == "Idempotency-Key" }
  }

  /// Whether the request contains no control character and no space that would change its framing.
  ///
  /// A token that ends with a newline is the usual case of a request that is not sendable.
  package var isSendable: Bool {
    path.utf8.allSatisfy(Self.isVisible)
      && fields.allSatisfy { field in
        !field.name.isEmpty
          && field.name.utf8.allSatisfy { Self.isVisible($0) && $0 != UInt8(ascii: ":") }
          && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
      }
  }

  private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}

/// The head of a response.
public struct TransportHead: Hashable, Sendable {
  /// The status code.
  public var status: Int

  /// The header fields; names are in lower case.
  public var fields: [TransportRequest.Field]

  /// Creates a head; names of fields may have any case.
  public init(status: Int, fields: [(name: String, value: String)]) {
    self.status = status
    self.fields = fields.map { TransportRequest.Field($0.name.lowercased(), $0.value) }
  }

  /// Creates a head from fields whose names are in lower case.
  init(status: Int, lowercased fields: [TransportRequest.Field]) {
    self.status = status
    self.fields = fields
  }

  /// The value of the first field with a name, which must be in lower case.
  public subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  /// Whether the body has a media type.
  package func hasContent(_ type: String) -> Bool {
    self["content-type"]?.split(separator: ";").first.map {
      $0.filter { $0 != " " }.lowercased() == type
    } ?? false
  }

  /// The cursor in the entity tag.
  package var cursor: SessionCursor? { self["etag"].flatMap { SessionCursor($0) } }

  /// The value of `Retry-After` in seconds, at most one hour, or `nil` for a date, and without the
  /// field.
  package var retryAfter: Duration? {
    guard let seconds = self["retry-after"].flatMap({ Int($0) }), seconds >= 0 else { return nil }
    return .seconds(min(seconds, 3600))
  }
}

/// A complete response.
public struct TransportResponse: Hashable, Sendable {
  /// The status and the header fields.
  public var head: TransportHead

  /// The body, without content and transfer codings.
  public var body: [UInt8]

  /// Whether the body is declared as JSON.
  package var hasJSON: Bool { head.hasContent("application/json") }

  /// Creates a response.
  public init(_ head: TransportHead, body: [UInt8]) {
    self.head = head
    self.body = body
  }
}
