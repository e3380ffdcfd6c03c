public import ClientCore
internal import ReactorCoding

extension ReactorServer {
  /// The value of a global, which all sessions of the server share.
  public func global<Value: Decodable & Sendable>(
    _ name: String, as type: Value.Type
  ) async throws(Problem) -> Value {
    try await client.sender.value(type, of: .get("v1/globals/\(name.percentEncoded)"))
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

  /// The names of the hosted reactors.
  public func reactorNames() async throws(Problem) -> [String] {
    struct Catalogue: Decodable {
      struct Entry: Decodable { let name: String }
      let reactors: [Entry]
    }
    return try await client.sender.value(Catalogue.self, of: .get("v1/reactors")).reactors
      .map(\.name)
  }
}
