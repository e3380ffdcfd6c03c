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
        .get, Self.collection, needs: .read, handler: list,
        operation: Operation(
          "listTimers", "The session's timers, in the order in which they are due",
          parameters: [.reactor, .session], content: .json(.component("TimerList")),
          problems: [.invalidSessionID, .unknownReactor, .unknownSession, .sessionEnded])),
      Endpoint(
        .delete, Self.collection + "/{timer}", needs: .manage,
        where: { TimerChange.isValid(id: $0[2]) },
        handler: cancel,
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

  private struct Entry: Encodable {
    let timer: StoredTimer
    let isQuarantined: Bool

    private enum CodingKeys: CodingKey {
      case id, action, dueAt, every, catchUp, quarantined
    }

    /// All members are always present.
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(timer.id, forKey: .id)
      try container.encode(EncodedJSON(trusted: timer.action), forKey: .action)
      try container.encode(timer.due.description, forKey: .dueAt)
      try container.encode(timer.period.map { Double($0) / 1000 }, forKey: .every)
      try container.encode(timer.catchesUp, forKey: .catchUp)
      try container.encode(isQuarantined, forKey: .quarantined)
    }
  }

  private func list(_ call: Call) throws(Problem) {
    let reactor = try call.reactor(in: host)
    let id = try call.sessionID()
    try call.negotiate()
    call.readSession(of: reactor, id, in: host) { _ in
      .json(encoding: Listing(timers: []))
    } _: { [reply = call.reply, marking = host.settings.marking] session in
      session.timers { timers in
        guard let timers else { return reply(Problem.mailboxFull) }
        let entries = timers.map { timer in
          Entry(
            timer: timer,
            isQuarantined: marking?.isQuarantined(session.key, timer.action) == true)
        }
        reply(.json(encoding: Listing(timers: entries), headers: .revalidated))
      }
    }
  }

  private func cancel(_ call: Call) throws(Problem) {
    let reactor = try call.reactor(in: host)
    let timer = call["timer"]
    call.readSession(of: reactor, try call.sessionID(), in: host) { _ in
      HTTPResponse(status: 204)
    } _: { [reply = call.reply] session in
      session.cancelTimer(timer) { reply($0) }
    }
  }
}
