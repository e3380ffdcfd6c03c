internal import Identity
internal import ReactorCoding
internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// The timers of a session.
struct TimerEndpoints {
  let host: Host

  private static let collection = "/v1/reactors/{reactor}/sessions/{session}/timers"

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/timers", needs: .admin, handler: listOfService,
        operation: Operation(
          "listServiceTimers", "The next timers of all sessions", parameters: [.limit],
          content: .json(.component("ServiceTimerList")), problems: [.invalidParameter])),
      Endpoint(
        .get, Self.collection, needs: .read, handler: list,
        operation: Operation(
          "listTimers", "The session's timers, in pages",
          parameters: [.reactor, .session, .limit, .afterTimer],
          responses: [
            .init(
              200, "A page of timers, in the order in which they are due", headers: [.link],
              .json(.component("TimerList")))
          ],
          problems: [
            .invalidParameter, .invalidSessionID, .unknownReactor, .unknownSession, .sessionEnded,
            .notAcceptable,
          ])),
      Endpoint(
        .delete, Self.collection + "/{timer}", needs: .manage, traits: .projected,
        where: { TimerChange.isValid(id: $0[2]) }, handler: cancel,
        operation: Operation(
          "cancelTimer", "Remove a timer",
          parameters: [.reactor, .session, .timer],
          responses: [.init(204, "The session has no timer with this id")],
          problems: [
            .invalidSessionID, .foreignOrigin, .unknownReactor, .unknownSession, .sessionEnded,
            .storageFull,
          ])),
    ]
  }

  private struct Listing: Encodable {
    let timers: [Entry]
  }

  private struct ServiceListing: Encodable {
    struct Entry: Encodable {
      let reactor: String
      let session: String
      let id: String
      let dueAt: String
    }

    let timers: [Entry]
  }

  private func listOfService(_ call: Call) async throws(Problem) -> HTTPResponse {
    try call.negotiate()
    let limit = try call.query().limit()
    do throws(LogError) {
      return .json(
        encoding: ServiceListing(
          timers: try host.nextTimers(limit: limit).map {
            .init(
              reactor: $0.key.reactor, session: $0.key.id, id: $0.id,
              dueAt: $0.position.due.description)
          }))
    } catch {
      throw Problem(error)
    }
  }

  private struct Entry: Encodable {
    let timer: StoredTimer
    let isQuarantined: Bool
    let isUnreadable: Bool

    private enum CodingKeys: CodingKey {
      case id, action, dueAt, every, catchUp, quarantined, unreadable
    }

    /// Encodes all members, including those that are `null`.
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(timer.id, forKey: .id)
      try container.encode(EncodedJSON(trusted: timer.action), forKey: .action)
      try container.encode(timer.due.description, forKey: .dueAt)
      try container.encode(timer.period.map { Double($0) / 1000 }, forKey: .every)
      try container.encode(timer.catchesUp, forKey: .catchUp)
      try container.encode(isQuarantined, forKey: .quarantined)
      try container.encode(isUnreadable, forKey: .unreadable)
    }
  }

  private func list(_ call: Call) async throws(Problem) -> HTTPResponse {
    let request = try SessionListRequest("timers", call, in: host)
    let after = try request.query.timerPosition()
    guard
      case .open(let session) = try await call.findSession(of: request.reactor, request.session)
    else { return .json(encoding: Listing(timers: [])) }
    // One more than requested shows whether there is a next page.
    let timers = try await Problem.mapping(
      await session.timers(after: after, limit: request.limit + 1))
    let page = Self.page(of: timers, limit: request.limit)
    let marking = host.settings.marking
    let entries = page.map { timer in
      Entry(
        timer: timer,
        isQuarantined: marking?.isQuarantined(session.key, timer.action) == true,
        isUnreadable: !request.reactor.canDecode(action: timer.action))
    }
    let last = timers.count > page.count ? page.last : nil
    let next = last.map { "\($0.due.milliseconds):\($0.id)" }
    return .json(encoding: Listing(timers: entries), headers: request.headers(next: next))
  }

  /// Returns the first timers of a list, within the bounds of a page; at least one.
  static func page(of timers: [StoredTimer], limit: Int) -> ArraySlice<StoredTimer> {
    timers.page(limit: limit) { $0.action.count }
  }

  private func cancel(_ call: Call) async throws(Problem) -> HTTPResponse {
    let reactor = try call.reactor(in: host)
    if case .open(let session) = try await call.findSession(of: reactor, try call.sessionID()) {
      try await Problem.mapping(await session.cancelTimer(call["timer"]))
    }
    return HTTPResponse(status: 204)
  }
}

extension Query {
  /// Returns the position in the parameter `after` of a link to the next page: a due time in
  /// milliseconds, and an id.
  fileprivate func timerPosition() throws(Problem) -> TimerPosition? {
    guard let text = self["after"] else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1)
    guard parts.count == 2, let due = Int64(Substring(parts[0])),
      TimerChange.isValid(id: String(Substring(parts[1])))
    else {
      throw .invalid(
        parameter: "after", "The parameter after takes the position in the Link of a page.")
    }
    return TimerPosition(
      due: Timestamp(milliseconds: due), history: 0, id: String(Substring(parts[1])))
  }
}
