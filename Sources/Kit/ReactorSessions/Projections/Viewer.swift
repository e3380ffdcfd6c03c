internal import ReactorCoding
public import ReactorCore
public import ReactorLog

/// A client that reads a session, as a ``Projection`` decides what it may see.
public struct Viewer: Sendable, Hashable {
  /// The session.
  public let session: SessionKey

  /// The authenticated user or service, or `nil` for an anonymous request.
  public let principal: Principal?

  /// The name that the client has chosen, in a service without authentication; `nil` otherwise.
  public let name: String?

  private let encodedParameters: [UInt8]?

  /// Creates a viewer; a host or a test calls this.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - principal: The principal, or `nil` for an anonymous request.
  ///   - name: The name that the client has chosen.
  ///   - encodedParameters: The parameters of the session, as JSON.
  public init(
    of session: SessionKey, as principal: Principal?, name: String? = nil,
    encodedParameters: [UInt8]? = nil
  ) {
    self.session = session
    self.principal = principal
    self.name = name
    self.encodedParameters = encodedParameters
  }

  /// The id of the principal; in a service without authentication the chosen name.
  public var id: String? { principal?.id ?? name }

  /// Returns the parameters with which the session was created, or `nil` if its reactor takes none.
  ///
  /// - Parameter type: The type of the parameters.
  /// - Returns: The parameters.
  /// - Throws: If they are not of the type.
  public func parameters<Parameters: Decodable>(as type: Parameters.Type) throws -> Parameters? {
    try encodedParameters.map { try JSONCoder.decode(type, from: $0) }
  }

  /// Compares the texts as UTF-8 bytes.
  public static func == (left: Viewer, right: Viewer) -> Bool {
    left.session == right.session && left.principal == right.principal
      && left.encodedParameters == right.encodedParameters
      && left.name.map { Array($0.utf8) } == right.name.map { Array($0.utf8) }
  }

  /// Hashes the session and the client.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(session)
    hasher.combine(principal)
    hasher.combine(name.map { Array($0.utf8) })
  }
}
