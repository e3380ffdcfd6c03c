internal import Glibc
internal import MicrohttpdServer
internal import Telemetry

extension ServiceContext {
  /// Proves to the supervisor or to the service manager that the threads of requests, streams and commits
  /// respond.
  ///
  /// - Returns: The watch, or `nil` if neither expects it.
  func watchThreads(of server: MicrohttpdServer, _ store: OpenStore) -> ThreadWatch? {
    guard let limit = supervisor == nil ? notifier.watchdog : configuration.watchdog else {
      return nil
    }
    var threads = server.threads
    if let callOnThreads = store.callOnThreads {
      threads.append((name: "log-writer", call: callOnThreads))
    }
    return ThreadWatch(threads, limit: limit) { [supervisor, notifier] in
      supervisor?.reportAlive()
      notifier.notify(.watchdog)
    } handleHangs: { hangs in
      end(hangs, limit)
    }
  }

  /// Ends the process as after a crash of the thread that hangs: the handler of crashes quarantines its
  /// action, and the log of the next process has its functions.
  private func end(_ hangs: [ThreadWatch.Hang], _ limit: Duration) {
    logger.error(
      "a thread does not respond; the process ends",
      ["threads": hangs.map(\.name).joined(separator: ", "), "limit": "\(limit)"])
    logWriter?.close(within: .milliseconds(250))
    guard let thread = hangs.lazy.compactMap(\.thread).first else { abort() }
    pthread_kill(thread, SIGABRT)
  }
}
