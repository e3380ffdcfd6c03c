import Testing

@testable import ClientCore

struct AccessTokenStateTests {
  private func texts(_ outputs: [AccessTokenState<Int>.Output]) -> [String] {
    outputs.map {
      switch $0 {
      case .request(let number): "request \(number)"
      case .proceed(let waiter, let token): "\(waiter) \(token)"
      case .fail(let waiter, let problem): "\(waiter) \(problem.kind.rawValue)"
      }
    }
  }

  @Test func `one request serves all that wait, and the token serves later ones`() {
    let state = Subject(AccessTokenState<Int>())
    #expect(texts(state { $0.use(1) }) == ["request 1"])
    #expect(texts(state { $0.use(2) }).isEmpty)
    #expect(
      texts(state { $0.received(1, .success("a"), expiry: nil, now: .zero) }) == ["1 a", "2 a"])
    #expect(texts(state { $0.use(3) }) == ["3 a"])
    #expect(state { $0.deadline } == nil)
  }

  @Test func `a token is renewed before its expiry while the old one is used`() {
    let state = Subject(AccessTokenState<Int>())
    _ = state { $0.use(1) }
    _ = state { $0.received(1, .success("a"), expiry: .seconds(300), now: .zero) }
    #expect(state { $0.deadline } == .seconds(270))
    #expect(texts(state { $0.wake(now: .seconds(270)) }) == ["request 2"])
    #expect(texts(state { $0.use(2) }) == ["2 a"])
    _ = state { $0.received(2, .success("b"), expiry: .seconds(8), now: .seconds(271)) }
    #expect(texts(state { $0.use(3) }) == ["3 b"])
    #expect(state { $0.deadline } == .seconds(277))
  }

  @Test func `a rejected token is requested again once, and a newer one stays`() {
    let state = Subject(AccessTokenState<Int>())
    _ = state { $0.use(1) }
    _ = state { $0.received(1, .success("a"), expiry: nil, now: .zero) }
    state { $0.reject("a") }
    #expect(texts(state { $0.use(2) }) == ["request 2"])
    state { $0.reject("a") }
    #expect(texts(state { $0.received(1, .success("late"), expiry: nil, now: .zero) }).isEmpty)
    #expect(texts(state { $0.received(2, .success("b"), expiry: nil, now: .zero) }) == ["2 b"])
    state { $0.reject("a") }
    #expect(texts(state { $0.use(3) }) == ["3 b"])
  }

  @Test func `a failed request fails what waits and is repeated by the next use`() {
    let state = Subject(AccessTokenState<Int>())
    _ = state { $0.use(1) }
    let problem = Problem(.noToken, "", "")
    #expect(
      texts(state { $0.received(1, .failure(problem), expiry: nil, now: .zero) }) == ["1 no-token"])
    #expect(texts(state { $0.use(2) }) == ["request 2"])
  }

  @Test(arguments: [
    // {"alg":"none"}.{"exp":1767225600}
    ("eyJhbGciOiJub25lIn0.eyJleHAiOjE3NjcyMjU2MDB9.x", 1_767_225_600.0),
    ("opaque", nil), ("a.b.c", nil), ("a.e30.c", nil),
  ])
  func `the expiry of a JSON Web Token is read`(_ token: String, _ expiry: Double?) {
    #expect(TokenExpiry.seconds(of: token) == expiry)
  }
}

struct CompositeIDTests {
  @Test func `the cursor of a session is found by its tag`() {
    let tags = ["counter/a", "chat/b"].map(CompositeID.tag)
    let id = CompositeID.text([
      (tags[0], SessionCursor(epoch: "k3", version: 17)),
      (tags[1], SessionCursor(epoch: "e", version: 0)),
    ])
    #expect(id == "\(tags[0]).k3-17~\(tags[1]).e-0")
    #expect(CompositeID.cursor(of: tags[1], in: id) == SessionCursor(epoch: "e", version: 0))
    #expect(CompositeID.cursor(of: "zzzzz", in: id) == nil)
    #expect(CompositeID.cursor(of: tags[0], in: "~~\(tags[0]).nonsense") == nil)
  }
}
