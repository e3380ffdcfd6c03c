internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport
internal import Synchronization

/// The list of a reactor's sessions: in the order of their ids, or in that of a figure.
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
    /// The ranking that contains the page; `nil` for a list in the order of the ids.
    var ranking: SessionRanking?

    private enum CodingKeys: CodingKey {
      case sessions, total, asOf
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(sessions, forKey: .sessions)
      guard let ranking else { return }
      try container.encode(ranking.total, forKey: .total)
      try container.encode(ranking.time.description, forKey: .asOf)
    }
  }

  /// The parameters of a request.
  private struct Request {
    let scan: SessionScan
    let limit: Int
    /// The first part of the address of the next page.
    let address: String
  }

  func list(_ call: Call) throws(Problem) {
    let reactor = try call.reactor(in: host)
    try call.negotiate()
    let query = try call.query()
    let limit = try query.limit()
    let order = try query.choice("order", of: SessionOrder.names)
    let prefix = query["prefix"] ?? ""
    let after = query["after"]
    // No id begins with any other prefix. The characters of ids need no percent-encoding in the
    // address.
    guard ["", ".", ".."].contains(prefix) || SessionKey.isValid(id: prefix) else {
      return call.reply(.json(encoding: Listing(sessions: [])))
    }
    let scope = call.scope
    let mayRead: @Sendable (String) -> Bool = { scope.mayRead($0, of: reactor) }
    let scan = SessionScan(
      reactor: reactor, prefix: prefix,
      isIncluded: scope.mayReadAll(of: reactor) ? nil : mayRead,
      background: call.scope.api.background, owner: call.owner)
    let request = Request(
      scan: scan, limit: limit,
      address: "/v1/reactors/\(reactor.name)/sessions?limit=\(limit)"
        + (prefix.isEmpty ? "" : "&prefix=\(prefix)"))
    guard let order = order.flatMap({ SessionOrder(rawValue: $0) }) else {
      return list(request, after: after, call.reply)
    }
    let position = after.flatMap { RankingPosition($0) }
    guard position != nil || after == nil else {
      throw .invalid(
        parameter: "after",
        "With this order, the parameter after takes the position in the Link of a page.")
    }
    list(request, by: order, after: position, call.reply)
  }

  /// Responds with a page in the order of the ids.
  private func list(_ request: Request, after id: String?, _ reply: Reply) {
    let found = Collected()
    let limit = request.limit
    // Read one session more than requested, to find out whether there is a next page. If the rights
    // to each session are checked, a page of the scan can contain few sessions of the list.
    let length = request.scan.isIncluded == nil ? limit + 1 : Limits.pageLength.most
    request.scan.read(after: id, length: length) { page in
      found.sessions.withLock { found in
        found += page.prefix(limit + 1 - found.count)
        return found.count <= limit
      }
    } completion: { result in
      let page = found.sessions.withLock { $0 }
      reply(
        result.map {
          .json(
            encoding: Listing(sessions: page.prefix(limit).map(Listing.Entry.init)),
            headers: Self.headers(of: page, request, \.id))
        }.mapError { Problem($0) })
    }
  }

  /// Responds with a page of a ranking.
  private func list(
    _ request: Request, by order: SessionOrder, after position: RankingPosition?, _ reply: Reply
  ) {
    let ordered = Request(
      scan: request.scan, limit: request.limit,
      address: request.address + "&order=\(order.rawValue)")
    rank(request.scan, by: order) { result in
      reply(
        result.map { ranking in
          let page = Array(ranking.page(after: position, limit: request.limit + 1))
          return .json(
            encoding: Listing(
              sessions: page.prefix(request.limit).map(Listing.Entry.init), ranking: ranking),
            headers: Self.headers(of: page, ordered) {
              RankingPosition(of: $0, in: order).description
            })
        }.mapError { Problem($0) })
    }
  }

  /// Finds or creates the ranking of the sessions that a request may read.
  private func rank(
    _ scan: SessionScan, by order: SessionOrder, completion: @escaping RankingCache.Completion
  ) {
    @Sendable func make(_ completion: @escaping RankingCache.Completion) {
      let ranking = Ranking(SessionRanking(by: order))
      scan.read(after: nil, length: Limits.pageLength.most) { page in
        ranking.value.withLock { $0.add(page) }
        return true
      } completion: { result in
        completion(result.map { ranking.finished })
      }
    }
    // The ranking of a principal with limited rights is created for each request.
    guard scan.isIncluded == nil else {
      let isEnqueued = limitedRankings.enqueueIfRoom(for: scan.owner) { end in
        make { result in
          end()
          completion(result)
        }
      }
      if !isEnqueued { completion(.failure(.tooMany)) }
      return
    }
    rankings.ranking(
      RankingCache.Key(reactor: scan.reactor.name, order: order, prefix: scan.prefix), make: make,
      completion: completion)
  }

  /// Returns the fields of a page, which has one session more than requested if there is a next
  /// page.
  private static func headers(
    of page: [SessionSummary], _ request: Request, _ position: (SessionSummary) -> String
  ) -> HTTPFields {
    var headers = HTTPFields.revalidated
    if page.count > request.limit {
      let last = position(page[request.limit - 1])
      headers.append("Link", "<\(request.address)&after=\(last)>; rel=\"next\"")
    }
    return headers
  }
}

/// The sessions of a list, while the pages are read.
private final class Collected: Sendable {
  let sessions = Mutex<[SessionSummary]>([])
}

/// A ranking, while the pages are read.
private final class Ranking: Sendable {
  let value: Mutex<SessionRanking>

  init(_ ranking: SessionRanking) {
    value = Mutex(ranking)
  }

  var finished: SessionRanking {
    value.withLock { ranking in
      ranking.trim()
      return ranking
    }
  }
}
