internal import Shares
internal import Synchronization
internal import Telemetry

extension Host: MetricsSource {
  /// Writes the figures of the reactors and their sessions.
  ///
  /// All of them are counters: the cost does not depend on the number of sessions.
  public func write(to text: inout MetricsText) {
    let runtimes = local
    writeCounts(of: runtimes, to: &text)
    writeTimers(of: runtimes, to: &text)
    writeLoads(of: runtimes, to: &text)
    text.family(
      "reactord_memory_ends_total", .counter,
      "Ends that release memory: of the streams of sessions and views, of streams, of responses.")
    let tables: [(String, Ledger.Table)] = [
      ("sessions", .states), ("views", .views), ("streams", .events), ("responses", .responses),
    ]
    for (name, table) in tables { text.sample(["of": name], settings.ledger.ended(table)) }
  }

  private func writeCounts(of runtimes: [ReactorRuntime], to text: inout MetricsText) {
    text.family("reactord_actions_total", .counter, "Actions that entered a session.")
    for reactor in runtimes { text.sample(["reactor": reactor.name], reactor.counts.actions.value) }
    text.family("reactord_mutations_total", .counter, "Mutations that were committed.")
    for reactor in runtimes {
      text.sample(["reactor": reactor.name], reactor.counts.mutations.value)
    }
    text.family(
      "reactord_effect_failures_total", .counter,
      "Errors of reactors: of the effects of an action (mutate), or of their streams (transform).")
    for reactor in runtimes {
      text.sample(
        ["reactor": reactor.name, "stage": "mutate"], reactor.counts.effectFailures.value)
      text.sample(
        ["reactor": reactor.name, "stage": "transform"], reactor.counts.streamFailures.value)
    }
    text.family(
      "reactord_impure_mutations_total", .counter,
      "Mutations whose second fold differs from the first, in builds that check it.")
    for reactor in runtimes {
      text.sample(["reactor": reactor.name], reactor.counts.impureMutations.value)
    }
    text.family(
      "reactord_commit_mutations", .histogram, "Mutations of one session in one commit.")
    for reactor in runtimes { text.sample(["reactor": reactor.name], reactor.counts.commitSizes) }
    text.family(
      "reactord_commit_duration_seconds", .histogram,
      "Time from handing mutations to the log until they are committed.")
    for reactor in runtimes { text.sample(["reactor": reactor.name], reactor.counts.commitTimes) }
    text.family("reactord_log_failures_total", .counter, "Commits that the log rejected.")
    for reactor in runtimes {
      for (reason, count) in reactor.counts.logFailures.values {
        text.sample(["reactor": reactor.name, "reason": reason], count)
      }
    }
  }

  private func writeTimers(of runtimes: [ReactorRuntime], to text: inout MetricsText) {
    if let pending = environment.timers.readStoredCount() {
      text.family("reactord_timers_pending", .gauge, "Timers that were not fired yet.", pending)
    }
    text.family("reactord_timers_fired_total", .counter, "Timers whose action was executed.")
    for reactor in runtimes {
      text.sample(["reactor": reactor.name], reactor.counts.timersFired.value)
    }
    text.family(
      "reactord_timer_lateness_seconds", .histogram,
      "Time from the due time of a timer to the execution of its action.")
    for reactor in runtimes { text.sample(["reactor": reactor.name], reactor.counts.timerLateness) }
  }

  private func writeLoads(of runtimes: [ReactorRuntime], to text: inout MetricsText) {
    func gauge(_ name: String, _ help: String, _ value: (ReactorRuntime) -> Int) {
      text.family(name, .gauge, help)
      for reactor in runtimes { text.sample(["reactor": reactor.name], value(reactor)) }
    }
    gauge("reactord_sessions", "Sessions in memory.") { $0.liveSessionCount }
    gauge("reactord_subscribers", "Streams that watch a session.") {
      $0.counts.subscribers.load(ordering: .relaxed)
    }
    gauge("reactord_effects_running", "Effects of actions that run.") { $0.runningEffectCount }
    text.family(
      "reactord_unreadable", .gauge,
      "Accepted actions, due timers and sessions that this release cannot read, as far as it has met them."
    )
    for reactor in runtimes {
      for kind in BlockedWork.Kind.allCases {
        text.sample(
          ["reactor": reactor.name, "kind": kind.rawValue],
          reactor.environment.blocked.count(of: kind))
      }
    }
    gauge("reactord_mailbox_waiting", "Requests that wait for their session's turn.") {
      $0.counts.waiting.load(ordering: .relaxed)
    }
  }
}
