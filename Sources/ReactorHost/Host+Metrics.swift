internal import Telemetry

extension Host: MetricsSource {
  /// Writes the figures of the reactors and their sessions.
  ///
  /// What sessions do at this moment is looked up in each one that is in memory, so that nothing is
  /// counted while they work.
  public func write(to text: inout MetricsText) {
    let runtimes = reactors.compactMap { $0 as? ReactorRuntime }
    writeCounts(of: runtimes, to: &text)
    writeLoads(of: runtimes, to: &text)
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

  private func writeLoads(of runtimes: [ReactorRuntime], to text: inout MetricsText) {
    let loads = runtimes.map { ($0.name, $0.load) }
    text.family("reactord_sessions", .gauge, "Sessions in memory.")
    for (name, load) in loads { text.sample(["reactor": name], load.sessions) }
    text.family("reactord_subscribers", .gauge, "Streams that watch a session.")
    for (name, load) in loads { text.sample(["reactor": name], load.subscribers) }
    text.family("reactord_effects_running", .gauge, "Effects of actions that run.")
    for (name, load) in loads { text.sample(["reactor": name], load.effects) }
    text.family("reactord_mailbox_waiting", .gauge, "Work that waits for its session's turn.")
    for (name, load) in loads { text.sample(["reactor": name], load.waiting) }
  }
}
