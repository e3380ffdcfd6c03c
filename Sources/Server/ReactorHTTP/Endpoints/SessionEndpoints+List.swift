internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// The list of a reactor's sessions, in the order of their ids.
extension SessionEndpoints {
  private struct Listing: Encodable {
    struct Entry: Encodable {
      let id: String
      let cursor: String
      let subscribers: Int
      let effects: Int
      let lastActiveAt: String
      /// The node that has the session in memory; absent if no node has, and without a cluster.
      let node: String?

      init(_ session: SessionSummary) {
        id = session.id
        cursor = session.cursor.description
        subscribers = session.subscribers
        effects = session.effects
        lastActiveAt = session.lastActiveAt.description
        node = session.node
      }

      private enum CodingKeys: CodingKey {
        case id, cursor, subscribers, effects, lastActiveAt, node
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(cursor, forKey: .cursor)
        try container.encode(subscribers, forKey: .subscribers)
        try container.encode(effects, forKey: .effects)
        try container.encode(lastActiveAt, forKey: .lastActiveAt)
        if let node { try container.encode(node, forKey: .node) }
      }
    }

    var sessions: [Entry]
  }

  func list(_ call: Call) async throws(Problem) -> HTTPResponse {
    let reactor = try call.reactor(in: host)
    try call.negotiate()
    let query = try call.query()
    let limit = try query.limit()
    _ = try query.choice("order", of: ["id"])
    let prefix = query["prefix"] ?? ""
    // No id begins with any other prefix. The characters of ids need no percent-encoding in the
    // address.
    guard ["", ".", ".."].contains(prefix) || SessionKey.isValid(id: prefix) else {
      return .json(encoding: Listing(sessions: []))
    }
    let scope = call.scope
    let scan = SessionScan(
      reactor: reactor, prefix: prefix,
      isIncluded: scope.mayReadAll(of: reactor) ? nil : { scope.mayList($0, of: reactor) })
    // One session more than requested shows whether there is a next page.
    let page = try await Problem.mapping(
      await scan.sessions(after: query["after"], limit: limit + 1))
    let address =
      "/v1/reactors/\(reactor.name)/sessions?limit=\(limit)"
      + (prefix.isEmpty ? "" : "&prefix=\(prefix)")
    return .json(
      encoding: Listing(sessions: page.prefix(limit).map(Listing.Entry.init)),
      headers: Self.headers(of: page, limit, address))
  }

  /// Returns the fields of a page, which has one session more than requested if there is a next
  /// page.
  private static func headers(
    of page: [SessionSummary], _ limit: Int, _ address: String
  ) -> HTTPFields {
    var headers = HTTPFields.revalidated
    if page.count > limit {
      headers.append("Link", "<\(address)&after=\(page[limit - 1].id)>; rel=\"next\"")
    }
    return headers
  }
}
