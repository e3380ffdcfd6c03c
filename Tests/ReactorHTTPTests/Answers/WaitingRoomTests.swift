import ReactorHost
import Testing

@testable import ReactorHTTP

/// Where answers wait for their outcome.
@Suite(.timeLimit(.minutes(1))) struct WaitingRoomTests {
  private let service = Service()

  /// An answer that says its name when it is given.
  private func answer(
    _ name: String, to told: AsyncStream<String>.Continuation
  ) throws -> PendingAnswer {
    let sessions = Recorder<any Session>()
    service.api.host.reactor("number")?.session("demo", for: .use) { result in
      if let opened = try? result.get() { sessions.add(opened.session) }
    }
    let session = try #require(sessions.values.first)
    return PendingAnswer(session, Preferences(nil), of: service.api) { _ in told.yield(name) }
  }

  @Test func `everyone is told of the end of his time, and nobody before`() async throws {
    let (answers, told) = AsyncStream<String>.makeStream()
    let start = ContinuousClock.now
    let times = ["long": 200, "short": 1, "middle": 100]
    for (name, time) in times {
      let answer = try answer(name, to: told)
      answer.accepted()
      answer.wait(for: .milliseconds(time))
    }
    var waiting = times
    for await name in answers {
      let found = waiting.removeValue(forKey: name)
      let time = try #require(found, "\(name) was told twice")
      #expect(start.duration(to: .now) >= .milliseconds(time))
      if waiting.isEmpty { break }
    }
  }

  @Test func `one that has its outcome is told nothing more`() async throws {
    let (answers, told) = AsyncStream<String>.makeStream()
    let done = try answer("done", to: told)
    done.accepted()
    done.wait(for: .milliseconds(1))
    done.completed(.ended)
    let other = try answer("other", to: told)
    other.accepted()
    other.wait(for: .milliseconds(100))
    #expect(await answers.prefix(2).reduce(into: []) { $0.append($1) } == ["done", "other"])
  }

  @Test func `the clock ticks again for who comes when everyone had left`() async throws {
    let (answers, told) = AsyncStream<String>.makeStream()
    var iterator = answers.makeAsyncIterator()
    for name in ["one", "two"] {
      let answer = try answer(name, to: told)
      answer.accepted()
      answer.wait(for: .milliseconds(1))
      #expect(await iterator.next() == name)
    }
  }

  @Test func `a wait without end is no trap`() throws {
    let (_, told) = AsyncStream<String>.makeStream()
    let answer = try answer("never", to: told)
    answer.wait(for: .seconds(Int64.max))
    answer.completed(.ended)
  }
}
