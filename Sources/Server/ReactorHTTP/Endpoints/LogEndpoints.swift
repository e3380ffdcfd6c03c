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

    /// Encodes `action` always, and `global` and `by` only if the entry has one.
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(entry.version, forKey: .version)
      try container.encode(entry.at.description, forKey: .at)
      try container.encode(entry.action.map { EncodedJSON(trusted: $0) }, forKey: .action)
      try container.encode(EncodedJSON(trusted: entry.mutation), forKey: .mutation)
      if let global = entry.global?.global { try container.encode(global, forKey: .global) }
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
    try call.respondInBackground { () throws(Problem) in
      guard case .open(let history) = try await call.findHistory(of: reactor, id) else {
        return Self.representation(of: [], as: type, .revalidated)
      }
      let address = "/v1/reactors/\(reactor.name)/sessions/\(id)/log"
      do throws(HistoryError) {
        let page = try await LogPage(of: history, after: after, limit: limit)
        return Self.representation(of: page, limit, at: address, as: type)
      } catch {
        throw Problem(error)
      }
    }
  }

  private static func representation(
    of page: LogPage, _ limit: Int, at address: String, as type: String
  ) -> HTTPResponse {
    var headers = HTTPFields.revalidated
    if page.hasNext, let last = page.entries.last {
      headers.append("Link", "<\(address)?after=\(last.version)&limit=\(limit)>; rel=\"next\"")
    }
    return representation(of: page.entries, as: type, headers)
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

/// One page of a log: bounded by the number of entries and, beyond the first entry, by bytes; it
/// ends before an entry that cannot be read.
struct LogPage: Sendable {
  private(set) var entries: [LogEntry] = []
  /// Whether there are entries after the page.
  private(set) var hasNext = false
  private let limit: Int
  private var bytes = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// Reads a page in steps.
  init(
    of history: any HistorySource, after version: Int, limit: Int
  ) async throws(HistoryError) {
    self.init(limit: limit)
    do throws(HistoryError) {
      while add(try await history.entries(after: entries.last?.version ?? version, limit: step)) {}
    } catch {
      guard end() else { throw error }
    }
  }

  /// The number of entries to read next.
  ///
  /// Small at first, so that large entries are not read in vain; then the number that the page is
  /// expected to hold, since each step is a request to a store on another machine. One entry
  /// more than requested shows whether there is a next page.
  var step: Int {
    guard !entries.isEmpty else { return min(16, limit + 1) }
    let average = max(1, bytes / entries.count)
    return min(
      max(1, (Limits.pageBytes - bytes) / average + 1), limit + 1 - entries.count)
  }

  /// Ends the page before an entry that cannot be read; returns whether the page has entries.
  mutating func end() -> Bool {
    hasNext = true
    return !entries.isEmpty
  }

  /// Adds entries; returns whether to read more entries for this page.
  ///
  /// A short read is not the end of the log: the log also bounds a read by bytes.
  mutating func add(_ read: [LogEntry]) -> Bool {
    for entry in read {
      guard entries.isEmpty || (entries.count < limit && bytes < Limits.pageBytes) else {
        hasNext = true
        return false
      }
      entries.append(entry)
      bytes += entry.mutation.count + (entry.action?.count ?? 0)
    }
    return !read.isEmpty
  }
}
