internal import ReactorLog
internal import ReactorHost
internal import ReactorTransport

/// `GET /v1/events`: several sessions over one stream.
extension StreamEndpoints {
  /// A session that the request names.
  private struct Source: Sendable {
    /// `{reactor}/{session}`.
    let name: String
    let reactor: any HostedReactor
    let id: String
  }

  func streamSessions(_ call: Call) throws(Problem) {
    try call.negotiate("text/event-stream")
    let query = try call.query()
    let wanted = try StreamRequest(query, call.request, ofOne: false)
    let sources = try sources(query.all("session"))
    let views = try wanted.views(of: sources.count)
    let owner = StreamOwner(try call.chosenName(query))
    guard !channels.isDraining else { return call.reply(response(to: call, RetryStream())) }
    call.respondAtOnce { () throws(Problem) in
      let sessions: [(any SessionSource)?]
      do throws(SessionError) {
        sessions = try await open(sources, wanted.lastEventID, call)
      } catch .tooMany {
        return response(to: call, RetryStream())
      } catch {
        throw Problem(error)
      }
      guard sessions.contains(where: { $0 != nil }) else {
        // Status 204 stops an `EventSource` permanently.
        return HTTPResponse(status: 204)
      }
      guard !call.isHead else {
        return try headResponse(
          to: call,
          of: zip(sources, sessions).compactMap { source, session in
            session.map { ($0, source.reactor, source.id) }
          })
      }
      let subscribed = zip(zip(sources, sessions), views)
      guard let parts = try await subscribe(call, to: Array(subscribed), wanted, by: owner)
      else { return response(to: call, RetryStream()) }
      return response(to: call, of: sources.map(\.name), CompositeStream(parts, of: channels))
    }
  }

  /// Parses the names of the sessions; a repeated name counts once.
  private func sources(_ names: [String]) throws(Problem) -> [Source] {
    var sources: [Source] = []
    var known: Set<String> = []
    for name in names where known.insert(name).inserted {
      let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw malformed("reactor/session") }
      let reactor = try host.hostedReactor(String(parts[0]))
      let id = String(parts[1])
      guard SessionKey.isValid(id: id) else { throw .invalidSessionID() }
      sources.append(Source(name: name, reactor: reactor, id: id))
    }
    guard !sources.isEmpty else { throw malformed("reactor/session, at least once") }
    guard sources.count <= limits.streamSessions else {
      throw malformed("at most \(limits.streamSessions) sessions")
    }
    return sources
  }

  private func malformed(_ expected: String) -> Problem {
    .invalid(parameter: "session", "The parameter session takes: \(expected).")
  }

  /// Finds the sessions one after the other; an ended one is `nil`.
  private func open(
    _ sources: [Source], _ last: LastEventID, _ call: Call
  ) async throws(SessionError) -> [(any SessionSource)?] {
    var opened: [(any SessionSource)?] = []
    for source in sources {
      do throws(SessionError) {
        opened.append(
          try await call.streamSource(of: source.reactor, source.id) { epoch in
            last.position(in: epoch, of: source.name)
          })
      } catch .ended {
        opened.append(nil)
      }
    }
    return opened
  }

  /// Subscribes to the sessions one after the other; to none if too many reads of the client wait, or if the
  /// client may not see one of them.
  private func subscribe(
    _ call: Call, to sessions: [((Source, (any SessionSource)?), StreamView)],
    _ wanted: StreamRequest, by owner: StreamOwner
  ) async throws(Problem) -> [CompositeStream.Part]? {
    var parts: [CompositeStream.Part] = []
    defer {
      if parts.count < sessions.count { for part in parts { part.subscription?.close() } }
    }
    for ((source, session), view) in sessions {
      guard let session else {
        parts.append(CompositeStream.Part(source.name, nil, StreamOpening(), at: nil))
        continue
      }
      let position = wanted.lastEventID.position(in: session.epoch, of: source.name)
      let subscribed = try await subscribe(
        call, to: session, of: source.reactor, source.id, wanted, in: view, by: owner,
        from: position)
      guard let (subscription, opening) = subscribed else { return nil }
      let cursor: Cursor? =
        if !opening.isReset, case .cursor(let cursor) = position { cursor } else { nil }
      parts.append(CompositeStream.Part(source.name, subscription, opening, at: cursor))
    }
    return parts
  }
}
