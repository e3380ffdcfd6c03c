internal import Glibc
internal import ReactorHTTP
internal import ReactorHost
internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// The check of a service whether its reactors can decode what is stored.
final class TypeCheckTask: Sendable {
  private let host: Host
  private let logger: Logger
  private let report = Mutex<TypeReport?>(nil)
  private let isStopped = Atomic<Bool>(false)

  init(_ host: Host, _ logger: Logger) {
    self.host = host
    self.logger = logger
  }

  /// Starts the check on a thread of its own.
  func start() {
    _ = SystemThread(named: "types") { [self] in execute() }
  }

  /// Ends the check.
  func stop() { isStopped.store(true, ordering: .relaxed) }

  private func execute() {
    do throws(LogError) {
      let report = try host.checkTypes { [self] in
        poll(nil, 0, 1)
        return !isStopped.load(ordering: .relaxed)
      }
      self.report.withLock { $0 = report }
      log(report)
    } catch {
      logger.error("stored data cannot be checked", ["error": "\(error)"])
    }
  }

  private func log(_ report: TypeReport) {
    for kind in report.kinds {
      logger.error(
        "stored data cannot be read by this release",
        [
          "reactor": kind.session.reactor, "part": kind.part.rawValue, "name": kind.name,
          "count": "\(kind.count)", "session": kind.session.id, "version": "\(kind.version)",
          "reason": kind.reason, "remedy": kind.remedy,
        ])
    }
    logger.log(
      report.kinds.isEmpty ? .info : .warning, "stored data was checked",
      fields: [("sessions", "\(report.sessions)"), ("unreadable kinds", "\(report.kinds.count)")]
        + StoredSample.Part.allCases.map { ($0.plural, "\(report.count(of: $0))") })
  }

  /// Adds a notice to the readiness of a service that cannot read stored data.
  func adding(to readiness: ServiceReadiness) -> ServiceReadiness {
    guard let count = report.withLock({ $0?.kinds.count }), count > 0 else { return readiness }
    return readiness.adding(
      notice: "This release cannot read \(count) kinds of stored data, which the log names.")
  }
}

extension ServiceContext {
  /// The exit code of a store with data that this release cannot read.
  static let unreadableExitCode: Int32 = 4

  /// The exit code of a store with reactors that this program does not host.
  static let unhostedExitCode: Int32 = 5

  /// Prints one line per kind of stored data that the reactors cannot decode.
  func check(_ log: any MutationLog, _ reactors: [ReactorRegistration]) throws {
    let host = Host(reactors, log: log)
    let report = try host.checkTypes()
    for kind in report.kinds { print(kind) }
    for (reactor, count) in report.unhosted.sorted(by: { $0.key < $1.key }) {
      print("\(reactor): \(count) values were not checked: this program does not host the reactor")
    }
    print("\(report.sessions) sessions, \(report.values) values checked")
    guard report.kinds.isEmpty else {
      throw ConfigurationError(
        message: "this release cannot read \(report.kinds.count) kinds of stored data",
        exitCode: Self.unreadableExitCode)
    }
    guard report.unhosted.isEmpty else {
      throw ConfigurationError(
        message: "the store has reactors that this program does not host",
        exitCode: Self.unhostedExitCode)
    }
  }
}

extension StoredSample.Part {
  /// The name of several values.
  fileprivate var plural: String { self == .parameters ? rawValue : rawValue + "s" }
}
