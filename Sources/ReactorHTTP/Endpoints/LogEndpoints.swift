internal import Identity
internal import ReactorLog
internal import ReactorCoding
internal import ReactorHost
internal import ReactorTransport

/// The log of a session.
struct LogEndpoints {
  let host: Host

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/reactors/{reactor}/sessions/{session}/log", needs: .read, traits: .negotiated,
        handler: show,
        operation: Operation(
          "readLog", "The session's log, in pages",
          parameters: [.reactor, .session, .afterVersion, .limit],
          responses: [
            .init(
              200, "Entries in the order of their versions", headers: [.link],
              .either(
                .inline([
                  "type": "array", "items": OpenAPIDocument.reference("LogEntry"),
                ]), orText: "application/x-ndjson"))
          ],
          problems: [
            .invalidParameter, .invalidSessionID, .unknownReactor, .unknownSession, .sessionEnded,
            .notAcceptable,
          ]))
    ]
  }

  struct Entry: Encodable {
    let entry: LogEntry

    private enum CodingKeys: CodingKey {
      case version, at, action, mutation, global, by
    }

    /// `action` is always present; `global` and `by` only if the entry has one.
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(entry.version, forKey: .version)
      try container.encode(entry.at.description, forKey: .at)
      try container.encode(entry.action.map { EncodedJSON(trusted: $0) }, forKey: .action)
      try container.encode(EncodedJSON(trusted: entry.mutation), forKey: .mutation)
      if let global = entry.global?.name { try container.encode(global, forKey: .global) }
      if let by = entry.by { try container.encode(by, forKey: .by) }
    }
  }

  private func show(_ call: Call) throws(Problem) {
    let reactor = try call.reactor(in: host)
    let id = try call.sessionID()
    let type = try call.choose(from: ["application/json", "application/x-ndjson"])
    let query = try call.query()
    let limit = try query.limit()
    let after = try query.integer("after", in: 0...Int.max) ?? 0
    call.readSession(of: reactor, id, in: host) { _ in
      Self.representation(of: [], as: type, .revalidated)
    } _: { session throws(Problem) in
      try call.inBackground { () throws(Problem) in
        do throws(HistoryError) {
          let page = try LogPage(of: session, after: after, limit: limit)
          var headers = HTTPFields.revalidated
          if page.hasNext, let last = page.entries.last {
            let address = "/v1/reactors/\(reactor.name)/sessions/\(id)/log"
            headers.append(
              "Link", "<\(address)?after=\(last.version)&limit=\(limit)>; rel=\"next\"")
          }
          call.reply(Self.representation(of: page.entries, as: type, headers))
        } catch {
          throw Problem(error)
        }
      }
    }
  }

  private static func representation(
    of entries: [LogEntry], as type: String, _ headers: HTTPFields
  ) -> HTTPResponse {
    guard type == "application/x-ndjson" else {
      return .json(encoding: entries.map { Entry(entry: $0) }, headers: headers)
    }
    var lines: [UInt8] = []
    for entry in entries {
      lines += (try? JSONCoder.encode(Entry(entry: entry))) ?? []
      lines.append(UInt8(ascii: "\n"))
    }
    return HTTPResponse(
      status: 200, headers: ["Content-Type": type] + headers, body: .bytes(lines))
  }
}

/// One page of a log: bounded by entries and, beyond the first entry, by bytes.
struct LogPage {
  private(set) var entries: [LogEntry] = []
  /// Whether there are entries after the page.
  private(set) var hasNext = false

  /// Reads a page in small steps, so that large entries are not read in vain.
  init(of session: any Session, after version: Int, limit: Int) throws(HistoryError) {
    var bytes = 0
    var step = 16
    var last = version
    while !hasNext {
      // One more than requested shows whether there is a next page.
      let read = try session.entries(
        after: last, limit: min(step, limit + 1 - entries.count))
      for entry in read {
        guard entries.isEmpty || (entries.count < limit && bytes < Limits.pageBytes) else {
          hasNext = true
          break
        }
        entries.append(entry)
        bytes += entry.mutation.count + (entry.action?.count ?? 0)
        last = entry.version
      }
      // A short page is not the end: the log bounds a page by bytes, too.
      guard !read.isEmpty else { break }
      let average = max(1, bytes / entries.count)
      step = max(1, min(256, (Limits.pageBytes - bytes) / average + 1))
    }
  }
}
