package import ReactorCore
package import ReactorLog
internal import Synchronization
internal import Telemetry

extension Host {
  /// Fires the timers of all sessions when they are due, until the task is cancelled.
  ///
  /// At the start it fires the timers that are already due, the oldest first. It loads the sessions
  /// that are not in memory.
  public func fireTimers() async {
    let unknown = Mutex<Set<String>>([])
    environment.timers.start { [weak self] timer in
      guard let self else { return .failed }
      guard let reactor = reactor(timer.key.reactor) else {
        // The timers stay in the log until a release hosts the reactor again.
        if unknown.withLock({ $0.insert(timer.key.reactor).inserted }) {
          logger.warning(
            "timers wait for a reactor that is not hosted", ["reactor": timer.key.reactor])
        }
        return .done
      }
      return await fire(timer, of: reactor)
    }
    let cancelled = AsyncStream<Void> { _ in }
    for await _ in cancelled {}
    environment.timers.stop()
  }

  /// Fires the timers of all sessions that are due at a time, in their order.
  ///
  /// For tests with virtual time, which do not call ``fireTimers()``.
  ///
  /// - Returns: The due time of the next timer, or `nil` if there is none, or if one cannot be fired.
  package func fireTimers(dueAt now: WallTime) async -> WallTime? {
    while true {
      let time = Timestamp(milliseconds: now.milliseconds)
      guard let due = try? environment.log.dueTimers(after: nil, until: time, limit: 1)
      else { return nil }
      guard let timer = due.timers.first else {
        return due.next.map { WallTime(milliseconds: $0.milliseconds) }
      }
      guard let reactor = reactor(timer.key.reactor),
        case .done = await fire(timer, of: reactor)
      else { return nil }
    }
  }

  /// Reads the timers of all sessions that are due next.
  ///
  /// Blocks on the disk if ``readsFromDisk``.
  ///
  /// - Parameter limit: The maximum number of timers.
  /// - Returns: The timers in the order in which they are due.
  /// - Throws: If the log cannot be read.
  package func nextTimers(limit: Int) throws(LogError) -> [DueTimer] {
    let last = Timestamp(milliseconds: WallTime.last.milliseconds)
    return try environment.log.dueTimers(after: nil, until: last, limit: limit).timers
  }

  private func fire(
    _ timer: DueTimer, of reactor: any HostedReactor
  ) async -> TimerSchedule.Outcome {
    guard environment.router?.owns(timer.key) ?? true else {
      await leave(timer, of: reactor)
      return .failed
    }
    // Neither load the session of a timer that this release cannot decode, nor try it again.
    let blocked = local.first { $0.name == reactor.name }?.environment.blocked
    let item = BlockedWork.Item(kind: .timer, id: timer.id)
    if blocked?.contains(item, of: timer.key.id) == true { return .done }
    do throws(SessionError) {
      let opened = try await reactor.session(timer.key.id, for: .use)
      guard let session = opened.session as? LiveSession else { return .failed }
      return await SessionTimers(session: session).fire(timer)
    } catch .ended, .unknown, .log(.unreadable) {
      // The slot has logged a session that this release cannot read; another release fires its timers.
      return .done
    } catch .reactorQuarantined {
      return .failed
    } catch {
      logger.error(
        "timer cannot be fired yet",
        [
          "reactor": timer.key.reactor, "session": timer.key.id, "timer": timer.id,
          "error": "\(error)",
        ])
      return .failed
    }
  }

  /// Leaves a timer to the process that owns its session.
  ///
  /// The attempt fails in this process and is repeated, because this process may become the owner.
  ///
  /// If the timer is overdue, the session's record is read, which removes a timer from this process
  /// that the owner has fired. If the timer is then still overdue, the owner may not know it,
  /// because another process has set it: the session is opened, so that the owner loads it with its
  /// timers.
  private func leave(_ timer: DueTimer, of reactor: any HostedReactor) async {
    let overdue = Timestamp.now.milliseconds(since: timer.position.due)
    guard overdue >= TimerSchedule.retryInterval else { return }
    _ = try? environment.log.session(timer.key).lastWriter()
    guard overdue >= 2 * TimerSchedule.retryInterval else { return }
    _ = try? await reactor.session(timer.key.id, for: .use)
  }
}
