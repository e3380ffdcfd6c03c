public import ReactorLog
internal import ReactorCoding

/// One kind of stored data that this release of a reactor cannot decode.
public struct UnreadableKind: Sendable {
  /// The reactor, and the first session in which it was found.
  public let session: SessionKey

  /// The kind of the value.
  public let part: StoredSample.Part

  /// The case of an action or mutation, or the first member of another value; empty for neither.
  public let name: String

  /// The version of the first value that was found; 0 for an action, a timer and parameters.
  public let version: Int

  /// The member and the cause.
  public let reason: String

  /// The change with which a release reads it.
  public let remedy: String

  /// The number of values of this kind that were found.
  public var count = 1
}

extension UnreadableKind: CustomStringConvertible {
  /// One line: the reactor, the value, the session, the member and the remedy.
  public var description: String {
    let value = name.isEmpty ? part.rawValue : "\(part.rawValue) \"\(name)\""
    let place = version > 0 ? "\(session), version \(version)" : "\(session)"
    return "\(session.reactor): \(count) × \(value) cannot be read, such as in \(place): "
      + "\(reason) Remedy: \(remedy)."
  }
}

/// The result of a check whether this release can decode what a log has stored.
public struct TypeReport: Sendable {
  /// The kinds of data that this release cannot decode, at most ``limit``.
  public fileprivate(set) var kinds: [UnreadableKind] = []

  /// The number of sessions that were read.
  public fileprivate(set) var sessions = 0

  /// The number of values that were decoded.
  public fileprivate(set) var values = 0

  /// The number of values of reactors that the host does not have, by the reactors' names.
  public fileprivate(set) var unhosted: [String: Int] = [:]

  /// The maximum number of kinds; further ones are not recorded.
  public static let limit = 1000

  fileprivate var indices: [String: Int] = [:]

  /// Returns the number of values of a part that cannot be decoded.
  public func count(of part: StoredSample.Part) -> Int {
    kinds.reduce(0) { $0 + ($1.part == part ? $1.count : 0) }
  }

  fileprivate mutating func add(_ sample: StoredSample, _ error: any Error) {
    let name = Self.name(of: sample)
    let reason = UnreadableReason.text(of: (error as? LogError)?.cause ?? error)
    // Values of one kind differ in the positions of arrays.
    let form = reason.filter { !("0"..."9").contains($0) }
    let identity = "\(sample.key.reactor) \(sample.part.rawValue) \(name) \(form)"
    if let index = indices[identity] {
      kinds[index].count += 1
      return
    }
    guard kinds.count < Self.limit else { return }
    indices[identity] = kinds.count
    kinds.append(
      UnreadableKind(
        session: sample.key, part: sample.part, name: name, version: sample.version,
        reason: reason, remedy: UnreadableReason.remedy(for: sample.part)))
  }

  /// The case of an action or mutation in its JSON: a text, or the first member of an object.
  private static func name(of sample: StoredSample) -> String {
    guard [.action, .timer, .mutation].contains(sample.part) else { return "" }
    let name = sample.json.drop { $0 == UInt8(ascii: "{") }.prefix(129)
    guard name.first == UInt8(ascii: "\"") else { return "" }
    return String(decoding: name.dropFirst().prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
  }
}

extension LogError {
  /// The error without the version, which differs from value to value.
  fileprivate var cause: (any Error)? {
    guard case .unreadable(_, let reason) = self else { return nil }
    return LogError.unreadable(version: 0, reason: reason)
  }
}

extension Host {
  /// The time that the check of types reads, and decodes, without a pause.
  private static let slice = Duration.milliseconds(2)

  /// Checks whether the hosted reactors can decode what the log has stored: of each session the latest
  /// entry, of the latest 1,000 sessions per reactor the latest 64, the snapshots without which a log
  /// cannot be folded, the parameters, and all accepted actions and timers.
  ///
  /// Blocks while it reads the log. A read takes a few milliseconds, so that others are not delayed.
  ///
  /// - Parameter pause: Called between two parts of the work; returns whether to continue.
  /// - Returns: The result.
  /// - Throws: If the log cannot be read.
  public func checkTypes(pause: () -> Bool = { true }) throws(LogError) -> TypeReport {
    var report = TypeReport()
    var position: SamplePosition? = SamplePosition()
    let reactors = Dictionary(local.map { ($0.name, $0) }) { $1 }
    while let start = position {
      let log = environment.log
      let page = try log.samples(after: start, within: Self.slice)
      report.sessions += page.sessions
      var end = ContinuousClock.now + Self.slice
      for sample in page.samples {
        guard let reactor = reactors[sample.key.reactor] else {
          report.unhosted[sample.key.reactor, default: 0] += 1
          continue
        }
        report.values += 1
        do {
          try reactor.check(sample)
        } catch {
          report.add(sample, error)
        }
        guard ContinuousClock.now >= end else { continue }
        guard pause() else { return report }
        end = .now + Self.slice
      }
      position = page.next
      guard pause() else { return report }
    }
    return report
  }
}

extension ReactorRuntime {
  /// Decodes a stored value as this release does.
  fileprivate func check(_ sample: StoredSample) throws {
    let scope = environment.scope(of: sample.key, sample.parameters)
    let mark = CodeMark(sample.key, environment)
    try mark.executing { try environment.witness.check(sample, scope) }
  }
}
