internal import Identity
internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// The changes of all sessions in the order of commits, as pages and as a stream.
struct ChangeEndpoints {
  let host: Host
  let streams: StreamEndpoints

  /// The maximum number of changes that one request for a page reads, filtered ones included.
  private static let scanBound = 65_536

  private static let parameters: [OpenAPIParameter] = [
    .afterChange, .changeReactor, .changeSession, .changeContent,
  ]

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/changes", needs: .read, reach: .anything, traits: .negotiated,
        handler: list,
        operation: Operation(
          "readChanges", "The changes of all sessions in the order of commits, in pages",
          parameters: Self.parameters + [.limit],
          responses: [
            .init(
              200, "Changes in the order of commits", headers: [.link],
              .either(
                .inline(["type": "array", "items": OpenAPIDocument.reference("Change")]),
                orText: "application/x-ndjson"))
          ],
          problems: [
            .invalidParameter, .invalidSessionID, .unknownReactor, .changesDisabled,
            .cursorExpired, .notAcceptable,
          ])),
      Endpoint(
        .get, "/v1/changes/events", needs: .read, reach: .anything, traits: .stream,
        handler: stream,
        operation: Operation(
          "streamChanges", "The changes of all sessions as server-sent events",
          detail: """
            Begins with the next commit unless `after` or an event id is sent. The stream does not \
            end by itself.
            """,
          parameters: Self.parameters + [.lastEventID, .lastEventIDQuery],
          responses: [
            .init(
              200, "The stream", headers: StreamEndpoints.fields,
              .stream(StreamMessage.ofChanges))
          ],
          problems: [
            .invalidParameter, .invalidSessionID, .unknownReactor, .changesDisabled,
            .notAcceptable,
          ])),
    ]
  }

  private func feed() throws(Problem) -> any ChangeFeed {
    guard let feed = host.changeFeed else {
      throw Problem(
        .changesDisabled,
        "The operator retains changes with the setting changes.keep.")
    }
    return feed
  }

  /// Returns the position in `after`, or `nil` if the parameter is absent.
  private func position(_ query: Query) throws(Problem) -> ChangePosition? {
    guard let text = query["after"].map({ PositionText.plain($0) }) else { return nil }
    if text == "0" { return .oldest }
    guard let id = ChangeID(text) else {
      throw .invalid(parameter: "after", "The parameter after takes the id of a change, or 0.")
    }
    return .id(id)
  }

  // MARK: Pages

  private func list(_ call: Call) throws(Problem) {
    let feed = try feed()
    let type = try call.choose(from: ["application/json", "application/x-ndjson"])
    let query = try call.query()
    let limit = try query.limit()
    let position = try position(query) ?? .oldest
    let filter = try ChangeFilter(query, of: host, for: call)
    try call.respondInBackground { () throws(Problem) in
      let start = try number(of: position, in: feed)
      do throws(LogError) {
        let page = try await ChangePage(
          of: feed, after: start, limit: limit, scanning: Self.scanBound, filter,
          ChangeText(host: host, content: filter.content), call.scope)
        return response(page, as: type, limit, filter)
      } catch {
        throw Problem(error)
      }
    }
  }

  /// Returns the number of a position; throws a problem if the changes after it are no longer
  /// retained.
  private func number(
    of position: ChangePosition, in feed: any ChangeFeed
  ) throws(Problem) -> Int {
    do throws(ChangeFeedError) {
      return try host.changeNumber(of: position, in: feed)
    } catch {
      switch error {
      case .log(let error): throw Problem(error)
      case .disabled, .expired:
        let oldest = (try? feed.floor()).map { ChangeID(store: feed.store, number: $0) }
        throw Problem(
          .cursorExpired,
          "Changes after this id are no longer retained. Begin again after oldest.",
          members: oldest.map { [.init("oldest", .string("\($0)"))] } ?? [])
      }
    }
  }

  private func response(
    _ page: ChangePage, as type: String, _ limit: Int, _ filter: ChangeFilter
  ) -> HTTPResponse {
    var headers: HTTPFields = ["Content-Type": type] + .revalidated
    if let next = page.next {
      headers.append(
        "Link", "</v1/changes?after=\(next)&limit=\(limit)\(filter.query)>; rel=\"next\"")
    }
    var body: [UInt8] = []
    if type == "application/json" {
      body.append(UInt8(ascii: "["))
      body += page.changes.joined(separator: [UInt8(ascii: ",")])
      body.append(UInt8(ascii: "]"))
    } else {
      for change in page.changes { body += change + [UInt8(ascii: "\n")] }
    }
    return HTTPResponse(status: 200, headers: headers, body: .bytes(body))
  }

  // MARK: The stream

  private func stream(_ call: Call) throws(Problem) {
    let feed = try feed()
    try call.negotiate("text/event-stream")
    let query = try call.query()
    let position = try position(query)
    let lastEventID = LastEventID.text(of: call.request, query)
    let filter = try ChangeFilter(query, of: host, for: call)
    guard !streams.channels.isDraining else {
      return call.reply(streams.response(to: call, RetryStream()))
    }
    try call.respondInBackground { () throws(Problem) in
      let start = try start(position, lastEventID, in: feed)
      return streams.response(
        to: call,
        ChangeStream(
          feed, from: start, filter, ChangeText(host: host, content: filter.content), call.scope,
          of: streams.channels, for: call.owner))
    }
  }

  /// Returns the start of a stream: with a reset if the id cannot be continued.
  ///
  /// An error status would stop an `EventSource` permanently.
  private func start(
    _ position: ChangePosition?, _ lastEventID: String?, in feed: any ChangeFeed
  ) throws(Problem) -> ChangeStart {
    var position = position ?? .latest
    var isMalformed = false
    if let lastEventID {
      let id = ChangeID(PositionText.plain(lastEventID))
      isMalformed = id == nil
      position = id.map { .id($0) } ?? .oldest
    }
    do throws(ChangeFeedError) {
      let number = try host.changeNumber(of: position, in: feed)
      return ChangeStart(number: number, isReset: isMalformed)
    } catch {
      switch error {
      case .expired(let oldest): return ChangeStart(number: oldest.number, isReset: true)
      case .log(let error): throw Problem(error)
      case .disabled: throw .unavailable("Changes are not retained.")
      }
    }
  }
}

/// One page of changes: bounded by their number, their bytes and the changes that are read for it.
struct ChangePage {
  private(set) var changes: [[UInt8]] = []
  /// The id after which the next page begins, or `nil` at the end.
  private(set) var next: ChangeID?

  init(
    of feed: any ChangeFeed, after number: Int, limit: Int, scanning bound: Int,
    _ filter: ChangeFilter, _ text: ChangeText, _ scope: RequestScope
  ) async throws(LogError) {
    var views = ChangeViews(host: text.host, scope: scope, readsState: text.content == .state)
    var bytes = 0
    var last = number
    let limit = min(limit, text.bound)
    reading: while last < number + bound {
      let read = try feed.changes(after: last, limit: 256)
      guard !read.isEmpty else { return }
      for change in read {
        guard !views.isExhausted else { break reading }
        if filter.matches(change), let part = try await views.part(of: change) {
          guard changes.isEmpty || (changes.count < limit && bytes < Limits.pageBytes) else {
            break reading
          }
          let id = ChangeID(store: feed.store, number: change.number)
          changes.append(try text.json(change, id: id, showing: part))
          bytes += changes.last?.count ?? 0
        }
        last = change.number
      }
    }
    next = ChangeID(store: feed.store, number: last)
  }
}
