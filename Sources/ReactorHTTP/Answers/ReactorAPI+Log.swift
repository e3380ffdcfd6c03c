internal import ReactorCoding
internal import ReactorHost

extension ReactorAPI {
  private struct Entry: Encodable {
    let version: Int
    let at: String
    let action: EncodedJSON?
    let mutation: EncodedJSON
    let global: String?

    init(_ entry: LogEntry) {
      version = entry.version
      at = entry.at.description
      action = entry.action.map { EncodedJSON(trusted: $0) }
      mutation = EncodedJSON(trusted: entry.mutation)
      global = entry.global?.name
    }

    private enum CodingKeys: CodingKey {
      case version, at, action, mutation, global
    }

    /// `action` is always there; `global` only where it says something.
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(version, forKey: .version)
      try container.encode(at, forKey: .at)
      try container.encode(action, forKey: .action)
      try container.encode(mutation, forKey: .mutation)
      if let global { try container.encode(global, forKey: .global) }
    }
  }

  func showLog(
    of reactor: any HostedReactor, _ id: String, _ request: HTTPRequest,
    _ answer: @escaping HTTPAnswer
  ) throws(Problem) {
    let type = try choose(for: request, from: ["application/json", "application/x-ndjson"])
    let query = try Query(request.query)
    let limit = try query.integer("limit", in: 1...1000) ?? 100
    let after = try query.integer("after", in: 0...Int.max) ?? 0
    withSession(of: reactor, id, answer) { [self] (session) throws(Problem) in
      let entries: [LogEntry]
      do throws(HistoryError) {
        entries = try session.entries(after: after, limit: limit + 1)
      } catch {
        throw problem(for: error)
      }
      let page = entries.prefix(limit)
      var headers = Answer.revalidated
      if entries.count > limit, let last = page.last {
        let address = "/v1/reactors/\(reactor.name)/sessions/\(id)/log"
        headers.append(
          "Link", "<\(address)?after=\(last.version)&limit=\(limit)>; rel=\"next\"")
      }
      guard type == "application/x-ndjson" else {
        return answer(Answer.json(encoding: page.map { Entry($0) }, headers: headers))
      }
      var lines: [UInt8] = []
      for entry in page {
        lines += (try? JSONCoder.encode(Entry(entry))) ?? []
        lines.append(UInt8(ascii: "\n"))
      }
      answer(
        HTTPResponse(
          status: 200, headers: ["Content-Type": "application/x-ndjson"] + headers,
          body: .bytes(lines)))
    }
  }
}
