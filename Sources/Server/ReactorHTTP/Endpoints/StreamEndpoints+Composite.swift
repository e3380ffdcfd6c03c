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
    open(sources[...], [], wanted.lastEventID, call) { result in
      switch result {
      case .success(let sessions) where sessions.allSatisfy { $0 == nil }:
        // Status 204 stops an `EventSource` permanently.
        call.reply(HTTPResponse(status: 204))
      case .success(let sessions):
        guard !call.isHead else {
          return replyToHead(
            call,
            of: zip(sources, sessions).compactMap { source, session in
              session.map { ($0, source.reactor, source.id) }
            })
        }
        let subscribed = Array(zip(zip(sources, sessions), views))
        subscribe(call, to: subscribed[...], [], wanted, by: owner) { [channels] result in
          call.reply { () throws(Problem) in
            guard let parts = try result.get() else { return response(to: call, RetryStream()) }
            return response(
              to: call, of: sources.map(\.name), CompositeStream(parts, of: channels))
          }
        }
      case .failure(.tooMany):
        call.reply(response(to: call, RetryStream()))
      case .failure(let error): call.reply(Problem(error))
      }
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
    _ sources: ArraySlice<Source>, _ opened: [(any SessionSource)?], _ last: LastEventID,
    _ call: Call,
    _ completion: @escaping @Sendable (Result<[(any SessionSource)?], SessionError>) -> Void
  ) {
    guard let source = sources.first else { return completion(.success(opened)) }
    let position: @Sendable (String) -> StreamPosition = { epoch in
      last.position(in: epoch, of: source.name)
    }
    call.streamSource(of: source.reactor, source.id, in: host, from: position) { result in
      switch result {
      case .success(let session):
        open(sources.dropFirst(), opened + [session], last, call, completion)
      case .failure(.ended): open(sources.dropFirst(), opened + [nil], last, call, completion)
      case .failure(let error): completion(.failure(error))
      }
    }
  }

  /// Subscribes to the sessions one after the other; to none if too many reads of the client wait, or if the
  /// client may not see one of them.
  private func subscribe(
    _ call: Call, to sessions: ArraySlice<((Source, (any SessionSource)?), StreamView)>,
    _ parts: [CompositeStream.Part], _ wanted: StreamRequest,
    by owner: StreamOwner,
    _ completion: @escaping @Sendable (Result<[CompositeStream.Part]?, Problem>) -> Void
  ) {
    guard let ((source, session), view) = sessions.first else {
      return completion(.success(parts))
    }
    guard let session else {
      let ended = CompositeStream.Part(source.name, nil, StreamOpening(), at: nil)
      return subscribe(
        call, to: sessions.dropFirst(), parts + [ended], wanted, by: owner, completion)
    }
    let position = wanted.lastEventID.position(in: session.epoch, of: source.name)
    subscribe(
      call, to: session, of: source.reactor, source.id, wanted, in: view, by: owner, from: position
    ) { result in
      guard case .success(let (subscription, opening)?) = result else {
        for part in parts { part.subscription?.close() }
        return completion(result.map { _ in nil })
      }
      let cursor: Cursor? =
        if !opening.isReset, case .cursor(let cursor) = position { cursor } else { nil }
      let part = CompositeStream.Part(source.name, subscription, opening, at: cursor)
      subscribe(
        call, to: sessions.dropFirst(), parts + [part], wanted, by: owner, completion)
    }
  }
}
