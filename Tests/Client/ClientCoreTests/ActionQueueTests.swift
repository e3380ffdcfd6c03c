import Testing

@testable import ClientCore

struct ActionQueueTests {
  private func action(
    _ id: UInt64, _ expectation: PendingAction.Expectation = .committed, isAwaited: Bool = true
  ) -> PendingAction {
    PendingAction(
      id: id, key: "key-\(id)", body: [], expecting: expectation, isAwaited: isAwaited)
  }

  private func response(_ status: Int, _ fields: [(name: String, value: String)] = [])
    -> ActionQueue.Attempt
  {
    let cursor = status < 300 ? [(name: "ETag", value: "\"k-1\"")] : []
    let type = [(name: "Content-Type", value: "application/json")]
    let all = fields + cursor + (status == 200 ? type : [])
    return .response(TransportResponse(TransportHead(status: status, fields: all), body: []))
  }

  private func isSuccess(_ outcome: ActionQueue.Outcome?) -> Bool {
    if case .success? = outcome { true } else { false }
  }

  @Test func `the next action is sent after the final response of the one before`() {
    let queue = Subject(ActionQueue(bound: 10, random: { 1 }))
    #expect(queue { $0.append(action(1)) } && queue { $0.append(action(2)) })
    #expect(queue { $0.next(now: .zero) }?.action.id == 1)
    #expect(queue { $0.next(now: .seconds(100)) } == nil)
    #expect(isSuccess(queue { $0.ended(1, response(204), now: .seconds(100)) }))
    #expect(queue { $0.next(now: .seconds(100)) }?.action.id == 2)
  }

  @Test func `an action without a response is repeated with its key before the next one`() {
    let queue = Subject(ActionQueue(bound: 10, random: { 1 }))
    #expect(queue { $0.append(action(1)) } && queue { $0.append(action(2)) })
    let first = queue { $0.next(now: .zero) }
    #expect(first?.isFirstAttempt == true)
    let problem = Problem(.unreachable, "", "")
    #expect(queue { $0.ended(1, .failure(problem), now: .zero) } == nil)
    #expect(queue { $0.next(now: .zero) } == nil)
    #expect(queue { $0.deadline } == .milliseconds(500))
    let second = queue { $0.next(now: .milliseconds(500)) }
    #expect(second?.action == first?.action)
    #expect(second?.isFirstAttempt == false)
    #expect(queue { $0.ended(1, response(503, [("Retry-After", "3")]), now: .seconds(1)) } == nil)
    #expect(queue { $0.deadline } == .seconds(1) + .seconds(3) * 1.1)
  }

  @Test func `a rejection is final and the next action follows`() {
    let queue = Subject(ActionQueue(bound: 10))
    #expect(queue { $0.append(action(1)) } && queue { $0.append(action(2)) })
    _ = queue { $0.next(now: .zero) }
    let rejection = ActionQueue.Attempt.response(.problem(422, "invalid-action"))
    let outcome = queue { $0.ended(1, rejection, now: .zero) }
    guard case .failure(let problem)? = outcome else {
      Issue.record("not final")
      return
    }
    #expect(problem.status == 422)
    #expect(queue { $0.next(now: .zero) }?.action.id == 2)
  }

  @Test func `an action whose effects are awaited is overtaken once it has arrived`() {
    let queue = Subject(ActionQueue(bound: 10))
    #expect(queue { $0.append(action(1, .effects)) } && queue { $0.append(action(2)) })
    _ = queue { $0.next(now: .zero) }
    #expect(queue { $0.next(now: .milliseconds(249)) } == nil)
    #expect(queue { $0.deadline } == .milliseconds(250))
    #expect(queue { $0.next(now: .milliseconds(250)) }?.action.id == 2)
    #expect(isSuccess(queue { $0.ended(2, response(204), now: .milliseconds(300)) }))
    // The server responded after the maximum wait, so the request is sent again.
    #expect(queue { $0.ended(1, response(202), now: .seconds(50)) } == nil)
    #expect(queue { $0.next(now: .seconds(50)) }?.action.id == 1)
    #expect(isSuccess(queue { $0.ended(1, response(200), now: .seconds(51)) }))
    #expect(queue { $0.isEmpty })
  }

  @Test(arguments: [
    Problem.Kind.untrustedCertificate, .noToken, .notAServer,
  ])
  func `an obstacle before the server fails an awaited action, any other waits`(kind: Problem.Kind)
  {
    let queue = Subject(ActionQueue(bound: 10, random: { 1 }))
    #expect(queue { $0.append(action(1)) } && queue { $0.append(action(2, isAwaited: false)) })
    _ = queue { $0.next(now: .zero) }
    let problem = Problem(kind, "", "")
    guard case .failure(problem)? = queue({ $0.ended(1, .failure(problem), now: .zero) }) else {
      Issue.record("not final")
      return
    }
    let first = queue { $0.next(now: .zero) }
    #expect(queue { $0.ended(2, .failure(problem), now: .zero) } == nil)
    let second = queue { $0.next(now: .milliseconds(500)) }
    #expect(second?.action == first?.action)
  }

  @Test func `a success without a cursor is not one of the server`() {
    let queue = Subject(ActionQueue(bound: 10))
    #expect(queue { $0.append(action(1)) })
    _ = queue { $0.next(now: .zero) }
    let page = TransportResponse(TransportHead(status: 200, fields: []), body: Array("<html>".utf8))
    guard case .failure(let problem)? = queue({ $0.ended(1, .response(page), now: .zero) }) else {
      Issue.record("not final")
      return
    }
    #expect(problem.kind == .notAServer)
  }

  @Test func `a response of something before the server is never the end of an action that waits`()
  {
    for status in 200...599 {
      for response in TransportResponse.foreign(status) {
        let queue = Subject(ActionQueue(bound: 10, random: { 1 }))
        #expect(queue { $0.append(action(1, isAwaited: false)) } && queue { $0.append(action(2)) })
        let first = queue { $0.next(now: .zero) }
        let outcome = queue { $0.ended(1, .response(response), now: .zero) }
        #expect(outcome == nil, "\(response)")
        #expect(queue { $0.next(now: .zero) } == nil)
        #expect(queue { $0.problem }?.kind == .notAServer)
        #expect(queue { $0.next(now: .seconds(30)) }?.action == first?.action)
      }
    }
  }

  @Test
  func
    `an awaited action is repeated while a proxy has no server, and fails with a page of its own`()
  {
    for status in 200...599 {
      let isOutage = status >= 500 || [408, 425, 429].contains(status)
      for response in TransportResponse.foreign(status) {
        let queue = Subject(ActionQueue(bound: 10, random: { 1 }))
        #expect(queue { $0.append(action(1)) })
        _ = queue { $0.next(now: .zero) }
        let outcome = queue { $0.ended(1, .response(response), now: .zero) }
        guard case .failure(let problem)? = outcome else {
          #expect(isOutage)
          continue
        }
        #expect(!isOutage && problem.kind == .notAServer)
      }
    }
  }

  @Test func `a rejection of the server is final, unless the server asks to repeat it`() {
    var kinds = Problem.Kind.served.flatMap { status, names in names.map { (status, $0) } }
    kinds += [400, 409, 429, 500, 503, 599].map { ($0, "effect-failed") }
    for (status, name) in kinds {
      let queue = Subject(ActionQueue(bound: 10))
      #expect(queue { $0.append(action(1, isAwaited: false)) })
      _ = queue { $0.next(now: .zero) }
      let outcome = queue { $0.ended(1, .response(.problem(status, name)), now: .zero) }
      let isRepeated =
        status == 503 && name != "effect-failed"
        || ["action-running", "rate-limited"].contains(name)
      #expect((outcome == nil) == isRepeated, "\(name)")
    }
  }

  @Test func `the queue is bounded, and times out what the server may have forgotten`() {
    let queue = Subject(ActionQueue(bound: 2))
    #expect(queue { $0.append(action(1)) })
    #expect(queue { $0.append(action(2), expiresAt: .seconds(5)) })
    #expect(!queue { $0.append(action(3)) })
    _ = queue { $0.next(now: .zero) }
    #expect(queue { $0.expired(now: .seconds(5)) }.map(\.id) == [2])
    #expect(queue { $0.expired(now: ActionQueue.memory) }.map(\.id) == [1])
    #expect(queue { $0.isEmpty })
  }

  @Test func `restored actions precede those that wait, also beyond the bound`() {
    let queue = Subject(ActionQueue(bound: 2))
    #expect(queue { $0.append(action(4)) } && queue { $0.append(action(5)) })
    #expect(queue { $0.next(now: .zero) }?.action.id == 4)
    queue {
      $0.restore([
        .init(action: action(1), firstSentAt: .seconds(-3600)),
        .init(action: action(2), firstSentAt: nil), .init(action: action(3), firstSentAt: nil),
      ])
    }
    #expect(queue { $0.actions }.map(\.id) == [4, 1, 2, 3, 5])
    #expect(!queue { $0.append(action(6)) })
    #expect(isSuccess(queue { $0.ended(4, response(204), now: .zero) }))
    #expect(queue { $0.next(now: .zero) }?.isFirstAttempt == false)
    #expect(queue { $0.expired(now: ActionQueue.memory - .seconds(3600)) }.map(\.id) == [1])
    #expect(queue { $0.next(now: .zero) }?.action.id == 2)
  }

  @Test func `a cancelled action is not sent`() {
    let queue = Subject(ActionQueue(bound: 2))
    #expect(queue { $0.append(action(1)) } && queue { $0.append(action(2)) })
    #expect(queue { $0.cancel(1) } && !queue { $0.cancel(1) })
    #expect(queue { $0.next(now: .zero) }?.action.id == 2)
  }
}
