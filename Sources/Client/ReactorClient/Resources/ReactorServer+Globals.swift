public import ClientCore
internal import ReactorCoding
public import ReactorStreams

extension ReactorServer {
  /// Returns the value of a global, which all sessions of the server share.
  public func global<Value: Decodable & Sendable>(
    _ name: String, as type: Value.Type
  ) async throws(Problem) -> Value {
    try await client.sender.value(type, of: .get("v1/globals/\(name.percentEncoded)"))
  }

  /// The values of a global: the current one, and then each change.
  ///
  /// Each subscription has a stream of its own, which resumes after a restart of the server; share
  /// it (`share(replay: 1)`) if several views need it. A slow observer receives only the latest
  /// value. Observers are called on the same threads as those of a reactor. A value that cannot be
  /// decoded is skipped, and reported by ``problems``.
  ///
  /// - Parameters:
  ///   - name: The name of the global.
  ///   - type: The type of its values.
  /// - Returns: The stream, which fails with the `Problem` of a final rejection.
  public func globalValues<Value: Decodable & Sendable>(
    _ name: String, as type: Value.Type
  ) -> Observable<Value> {
    let path = "v1/globals/\(name.percentEncoded)/events"
    let values = Observable<Value>.create { [lifetime] observer in
      let client = lifetime.client
      let feed = GlobalFeed<Value>(observer, client)
      let driver = MachineDriver(EventFeed(path: path), client) { _, output in
        feed.receive(output)
      }
      client.add(driver)
      return Disposables.create { lifetime.client.remove(driver) }
    }
    return client.delivered(values)
  }

  /// Sets a global for all sessions; requires the right `admin`.
  public func setGlobal(_ name: String, to value: some Encodable) async throws(Problem) {
    let body: [UInt8]
    do {
      body = try JSONCoder.encode(value)
    } catch {
      throw Problem(.invalidParameter, "The value cannot be encoded", "\(error)")
    }
    let fields: [TransportRequest.Field] = [.init("Content-Type", "application/json")]
    _ = try await client.sender.response(
      to: TransportRequest("PUT", "v1/globals/\(name.percentEncoded)", fields: fields, body: body))
  }

  /// Returns the names of the hosted reactors.
  public func reactorNames() async throws(Problem) -> [String] {
    struct Catalogue: Decodable {
      struct Entry: Decodable { let name: String }
      let reactors: [Entry]
    }
    return try await client.sender.value(Catalogue.self, of: .get("v1/reactors")).reactors
      .map(\.name)
  }
}
