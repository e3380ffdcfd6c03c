internal import ReactorCoding
internal import ReactorHost

extension ReactorAPI {
  private struct Listing: Encodable {
    let effects: [Entry]
  }

  private struct Entry: Encodable {
    let effect: RunningEffect

    private enum CodingKeys: CodingKey {
      case id, action, startedAt, progress
    }

    /// All members are always there.
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(effect.id, forKey: .id)
      try container.encode(
        effect.action.map { EncodedJSON(trusted: $0) }, forKey: .action)
      try container.encode(effect.startedAt.description, forKey: .startedAt)
      try container.encode(effect.progress, forKey: .progress)
    }
  }

  func listEffects(
    of reactor: any HostedReactor, _ id: String, _ request: HTTPRequest,
    _ answer: @escaping HTTPAnswer
  ) throws(Problem) {
    try negotiate(request, "application/json")
    let query = try Query(request.query)
    let limit = try query.integer("limit", in: 1...1000) ?? 100
    let after = query["after"]
    withSession(of: reactor, id, answer) { [self] session in
      // One more than asked for tells whether there is a next page.
      session.effects(after: after, limit: limit + 1) { [self] effects in
        guard let effects else { return answer(tooManyWait.response) }
        let page = effects.prefix(limit)
        var headers = Answer.revalidated
        if effects.count > limit, let last = page.last {
          let address = "/v1/reactors/\(reactor.name)/sessions/\(id)/effects"
          headers.append("Link", "<\(address)?limit=\(limit)&after=\(last.id)>; rel=\"next\"")
        }
        answer(
          Answer.json(
            encoding: Listing(effects: page.map { Entry(effect: $0) }), headers: headers))
      }
    }
  }

  func cancelEffect(
    _ effect: String, of reactor: any HostedReactor, _ id: String,
    _ answer: @escaping HTTPAnswer
  ) {
    withSession(of: reactor, id, answer) { [self] session in
      session.cancelEffect(effect) { [self] cancellation in
        switch cancellation {
        case .ended: answer(HTTPResponse(status: 204))
        case .overloaded: answer(tooManyWait.response)
        case .notCommitted(let error): answer(problem(for: error).response)
        }
      }
    }
  }

  private var tooManyWait: Problem {
    unavailable("Too many requests wait for this session. Nothing was done.")
  }
}
