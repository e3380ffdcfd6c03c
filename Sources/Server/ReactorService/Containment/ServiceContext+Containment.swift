internal import ReactorHost
internal import ReactorLog
internal import Telemetry

extension ServiceContext {
  /// Begins to mark actions, and quarantines those that crashed the previous process.
  ///
  /// - Parameters:
  ///   - settings: The settings of the host, to which the marks are added.
  ///   - sharedMarks: Adds the shared quarantine of the store to the marks, or returns `nil` if the store has
  ///     none.
  /// - Returns: The metrics of the marks, or `nil` without a file beside the store and without a
  ///   supervisor, or without space on the disk.
  func containCrashes(
    _ settings: inout HostSettings, _ sharedMarks: ((CrashMarks?) -> any SharedMarking)?
  ) -> (any MetricsSource)? {
    let marks = markActions(&settings)
    guard let sharedMarks else { return marks }
    let shared = sharedMarks(marks)
    settings.marking = shared
    do throws(LogError) {
      try shared.share()
    } catch {
      logger.error("the quarantine is not shared", ["reason": "\(error)"])
    }
    return shared
  }

  private func markActions(_ settings: inout HostSettings) -> CrashMarks? {
    let marks: CrashMarks?
    switch configuration.store {
    case .sqlite(let path): marks = CrashMarks(besideStore: path, creating: true)
    case .memory, .postgres:
      marks = supervisor.flatMap { CrashMarks(descriptor: $0.marksDescriptor) }
    }
    guard let marks else {
      if case .sqlite = configuration.store {
        logger.warning("crashing actions are not quarantined: the file of marks cannot be written")
      }
      return nil
    }
    let known = marks.quarantined
    if let crash = marks.collectCrash(endedBy: supervisor?.lastSignal) {
      report(crash, marks.quarantined.filter { !known.contains($0) })
      if crash.quarantined == 0 {
        settings.runLimit = min(settings.runLimit, CrashMarks.runLimitAfterCrash)
      }
    }
    marks.handleCrashes()
    settings.marking = marks
    return marks
  }

  private func report(_ crash: CrashMarks.Crash, _ added: [QuarantinedAction]) {
    logger.error(
      "the process before this one crashed",
      ["signal": crash.signal, "backtrace": crash.backtrace.joined(separator: " < ")])
    for entry in added {
      let fields: KeyValuePairs = [
        "reactor": entry.session.reactor, "session": entry.session.id,
        "action": entry.action ?? "",
      ]
      let kind = entry.action != nil ? "action" : entry.session.id.isEmpty ? "reactor" : "session"
      logger.error("\(kind) is quarantined", fields)
    }
  }
}
