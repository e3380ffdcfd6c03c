internal import ReactorCoding
internal import ReactorHost
internal import Synchronization

/// `GET /v1/events`: several sessions over one stream.
extension ReactorAPI {
  /// One of the sessions that a client names.
  private struct Wish: Sendable {
    /// `{reactor}/{session}`.
    let name: String
    let reactor: any HostedReactor
    let id: String
  }

  func openStreamOfMany(
    _ request: HTTPRequest, _ answer: @escaping HTTPAnswer
  ) throws(Problem) {
    try negotiate(request, "text/event-stream")
    let query = try Query(request.query)
    let wanted = try StreamRequest(query, request)
    let wishes = try wishes(query.all("session"))
    if isDraining { return answer(self.answer(request, with: RetryStream())) }

    open(wishes[...], []) { [self] result in
      switch result {
      case .success(let sessions) where sessions.allSatisfy { $0 == nil }:
        // Tells an EventSource to stop for good.
        answer(HTTPResponse(status: 204))
      case .success(let sessions) where !sessions.allSatisfy({ $0.map(hasRoom) ?? true }):
        answer(self.answer(request, with: RetryStream()))
      case .success(let sessions):
        answer(self.answer(request, with: stream(of: zip(wishes, sessions), wanted)))
      case .failure(.tooMany): answer(self.answer(request, with: RetryStream()))
      case .failure(let error): answer(problem(for: error).response)
      }
    }
  }

  /// Reads the names of the sessions; one that stands there twice counts once.
  private func wishes(_ names: [String]) throws(Problem) -> [Wish] {
    var wishes: [Wish] = []
    var known: Set<String> = []
    for name in names where known.insert(name).inserted {
      let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw malformed("reactor/session") }
      let id = String(parts[1])
      let reactor = try reactor(String(parts[0]))
      try check(id)
      wishes.append(Wish(name: name, reactor: reactor, id: id))
    }
    guard !wishes.isEmpty else { throw malformed("reactor/session, at least once") }
    guard wishes.count <= settings.streamSessions else {
      throw malformed("at most \(settings.streamSessions) sessions (streams.sessions)")
    }
    return wishes
  }

  private func malformed(_ expected: String) -> Problem {
    Problem(
      .invalidParameter, "The parameter session takes: \(expected).",
      members: [.init("parameter", .string("session"))])
  }

  /// Opens one session after the other; one that is gone is `nil`.
  private func open(
    _ wishes: ArraySlice<Wish>, _ opened: [(any Session)?],
    _ completion: @escaping @Sendable (Result<[(any Session)?], SessionError>) -> Void
  ) {
    guard let wish = wishes.first else { return completion(.success(opened)) }
    wish.reactor.session(wish.id, for: .use) { [self] result in
      switch result {
      case .success(let session):
        open(wishes.dropFirst(), opened + [session.session], completion)
      case .failure(.ended): open(wishes.dropFirst(), opened + [nil], completion)
      case .failure(let error): completion(.failure(error))
      }
    }
  }

  private func stream(
    of sessions: some Sequence<(Wish, (any Session)?)>, _ wanted: StreamRequest
  ) -> CompositeStream {
    let cursors = wanted.lastEventID.map { CompositeCursor($0) }
    let parts = sessions.map { wish, session -> CompositeStream.Part in
      guard let session else {
        return CompositeStream.Part(wish.name, nil, StreamOpening(), at: nil)
      }
      let position: StreamPosition =
        switch cursors {
        case nil: .beginning
        case .some(nil): .unknown
        case .some(let cursors?): cursors.position(of: wish.name, in: session.epoch)
        }
      let (subscription, opening) = subscribe(to: session, wanted, from: position)
      let cursor: Cursor? =
        if !opening.isReset, case .cursor(let cursor) = position { cursor } else { nil }
      return CompositeStream.Part(wish.name, subscription, opening, at: cursor)
    }
    return CompositeStream(parts, of: channels)
  }
}
