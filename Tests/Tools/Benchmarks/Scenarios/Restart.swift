import Foundation
import Synchronization

extension Scenario {
  /// The time until the streams of a killed server are open again, and the responses meanwhile.
  static var restart: Scenario {
    Scenario(
      name: "restart", summary: "15,000 streams of 100 sessions reconnect after a kill"
    ) { bench in
      let all = Contestants(bench: bench)
      let store = "sqlite:\(bench.output.appending(path: "data").path)/log.db"
      let contestants = [all.sqlite, all.nchan]
      let rounds = try bench.inTurns(contestants) { contestant in
        let first = try contestant.start()
        var load = StreamLoad(bench)
        load.sessions = 100
        if contestant.isOurs { _ = try load.create(on: first, of: contestant) }
        load.subscribers = 15_000
        load.pause = 0
        try load.hold(contestant, first) { _ in
          // The workers of nginx outlive a master that is killed.
          first.stop(with: contestant.isOurs ? SIGKILL : SIGTERM)
        }
        let start = ContinuousClock.now
        let second =
          contestant.isOurs ? try all.startReactord(store: store) : try contestant.start()
        let posts = RepeatedPosts(contestant, port: second.port)
        return try load.hold(contestant, second) { _ in
          (live: (.now - start) / .seconds(1), posts: posts.finish())
        }
      }
      for contestant in contestants {
        let own = rounds[contestant.name] ?? []
        bench.report(
          Figure(
            load: "15,000 streams after a kill", contestant: contestant.name,
            unit: "s until all are open", value: Sample(own.map(\.live)),
            aim: contestant.isOurs ? .atMost(2) : nil))
        bench.report(
          Figure(
            load: "15,000 streams after a kill", contestant: contestant.name,
            unit: "ms to the response of an action meanwhile, p99",
            value: Sample(own.map { $0.posts.quantile(0.99) }),
            aim: contestant.isOurs ? .atMost(50) : nil))
      }
    }
  }
}

/// One client that sends an action every few milliseconds and measures the time to each response.
private final class RepeatedPosts: Sendable {
  private struct State {
    var times: [Double] = []
    var isOver = false
  }

  private let state = Mutex(State())
  private let end = DispatchSemaphore(value: 0)

  init(_ contestant: Contestant, port: Int) {
    let (path, body) = (contestant.actions(of: "posted"), contestant.body)
    Thread.detachNewThread { [self] in
      let connection = try? RequestConnection(port: port)
      var number = 0
      while !state.withLock(\.isOver) {
        number += 1
        let json = body.replacingOccurrences(of: "{number}", with: "\(number)")
        let start = ContinuousClock.now
        let status = try? connection?.send("POST", path, json: json).status
        // A request without success counts as one that never ends.
        let isDone = status.map { 200..<300 ~= $0 } ?? false
        let time = isDone ? (ContinuousClock.now - start) / .milliseconds(1) : .infinity
        state.withLock { $0.times.append(time) }
        usleep(2_000)
      }
      end.signal()
    }
  }

  /// Ends the client and returns the times in milliseconds.
  func finish() -> [Double] {
    state.withLock { $0.isOver = true }
    end.wait()
    return state.withLock(\.times)
  }
}
