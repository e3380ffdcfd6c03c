internal import CCrashMarks
internal import Glibc
internal import ReactorHost
internal import ReactorLog
internal import Telemetry

/// The marks of running actions and the quarantine, in a file that outlives the process.
///
/// Beside an SQLite store the file is `STORE.marks`, which `reactord quarantine` opens as well.
/// With a store in memory or in a database it is a file without a name that the supervisor retains.
@safe
final class CrashMarks: ActionMarking {
  /// The crash of the previous process.
  struct Crash {
    let signal: String

    /// The number of actions and sessions that were quarantined because of the crash.
    let quarantined: Int

    /// The functions that were executed, the innermost first.
    let backtrace: [String]
  }

  /// The number of starts after which an interrupted action is given up, if it is unknown in which
  /// action the last process crashed.
  static let runLimitAfterCrash = 3

  /// The number of functions in the log line of a crash.
  private static let backtraceLength = 12

  // Proof: a shared mapping that is never removed; its functions are thread-safe.
  private nonisolated(unsafe) let region: UnsafeMutableRawPointer

  /// Maps a file, or returns `nil` if there is no space for it.
  init?(descriptor: Int32) {
    guard let region = unsafe reactord_marks_map(descriptor) else { return nil }
    unsafe self.region = region
  }

  /// Opens the file beside a store, and creates it if `creating` is set, or returns `nil` if it cannot be
  /// opened.
  convenience init?(besideStore path: String, creating: Bool) {
    let flags = O_RDWR | O_CLOEXEC | (creating ? O_CREAT : 0)
    let descriptor = unsafe open(path + ".marks", flags, 0o600)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    self.init(descriptor: descriptor)
  }

  /// Quarantines the actions and sessions that the previous process was executing when it crashed.
  ///
  /// - Parameter signal: The signal that ended it, if the supervisor knows it.
  /// - Returns: The crash, or `nil` if there was none.
  func collectCrash(endedBy signal: Int32?) -> Crash? {
    var known: Int32 = 0
    if let signal, Self.names[signal] != nil { known = signal }
    let found = unsafe reactord_marks_collect(region, known, Timestamp.now.milliseconds)
    guard found.signal != 0 else { return nil }
    var frames = found.frames
    let offsets = unsafe withUnsafeBytes(of: &frames) {
      // Portable: the tuple has elements of this type.
      unsafe Array($0.bindMemory(to: UInt64.self).prefix(Int(found.frame_count)))
    }
    return Crash(
      signal: Self.name(of: found.signal), quarantined: Int(found.quarantined),
      backtrace: offsets.filter { $0 != 0 }.prefix(Self.backtraceLength).map(Self.function))
  }

  /// Installs the handler of crashes, which flags the marks of the thread that crashes.
  ///
  /// The code of an effect outside of a turn has no mark. If it crashes, the handler finds the
  /// action in the task-local values that the effect's task has inherited.
  func handleCrashes() {
    unsafe reactord_marks_install(region) { region in
      guard let region = unsafe region, let (session, action) = CrashedEffect.current else {
        return
      }
      _ = unsafe CrashMarks.begin(session, ActionDigest(of: action), action, in: region)
    }
  }

  // MARK: Marks

  func begin(_ session: SessionKey, _ digest: ActionDigest, _ action: [UInt8]) -> ActionMark {
    unsafe Self.begin(session, digest, action, in: region)
  }

  private static func begin(
    _ session: SessionKey, _ digest: ActionDigest, _ action: [UInt8],
    in region: UnsafeMutableRawPointer
  ) -> ActionMark {
    let place = unsafe withTexts(of: session) { reactor, id in
      unsafe action.withUnsafeBytes { bytes in
        unsafe reactord_mark_begin(
          region, digest.rawValue, reactor.baseAddress, reactor.count, id.baseAddress, id.count,
          bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
      }
    }
    return ActionMark(place: Int(place))
  }

  func end(_ mark: ActionMark) {
    unsafe reactord_mark_end(region, Int32(truncatingIfNeeded: mark.place))
  }

  var isQuarantineEmpty: Bool { unsafe reactord_quarantine_count(region) == 0 }

  func isQuarantined(_ session: SessionKey, _ digest: ActionDigest) -> Bool {
    guard !isQuarantineEmpty else { return false }
    return unsafe Self.withTexts(of: session) { reactor, id in
      unsafe reactord_quarantine_contains(
        region, digest.rawValue, reactor.baseAddress, reactor.count, id.baseAddress, id.count) != 0
    }
  }

  private static func withTexts<Result>(
    of session: SessionKey,
    _ body: (UnsafeBufferPointer<CChar>, UnsafeBufferPointer<CChar>) -> Result
  ) -> Result {
    var (reactor, id) = (session.reactor, session.id)
    return reactor.withUTF8 { reactor in
      id.withUTF8 { id in
        unsafe reactor.withMemoryRebound(to: CChar.self) { reactor in
          unsafe id.withMemoryRebound(to: CChar.self) { id in unsafe body(reactor, id) }
        }
      }
    }
  }

  // MARK: The quarantine

  var quarantined: [QuarantinedAction] { entries.map(\.action) }

  /// The entries of the quarantine with the digests of their actions.
  var entries: [(action: QuarantinedAction, digest: ActionDigest)] {
    (0..<Int32(REACTORD_QUARANTINE_CAPACITY)).compactMap { place in
      var entry = reactord_quarantined()
      guard unsafe reactord_quarantine_read(region, place, &entry) != 0 else { return nil }
      let marked = entry.marked
      let action = QuarantinedAction(
        session: SessionKey(
          reactor: Self.text(marked.reactor, marked.reactor_length),
          id: Self.text(marked.session, marked.session_length)),
        action: marked.digest == 0 ? nil : Self.text(marked.action, marked.action_length),
        at: Timestamp(milliseconds: entry.at), signal: Self.name(of: entry.signal))
      return (action, ActionDigest(rawValue: marked.digest))
    }
  }

  func clearQuarantine() {
    unsafe reactord_quarantine_clear(region)
  }

  func removeFromQuarantine(_ session: SessionKey) {
    guard !isQuarantineEmpty else { return }
    unsafe Self.withTexts(of: session) { reactor, id in
      unsafe reactord_quarantine_remove(
        region, reactor.baseAddress, reactor.count, id.baseAddress, id.count)
    }
  }

  /// Returns the first `length` characters of a C array.
  private static func text<Characters>(_ characters: Characters, _ length: UInt32) -> String {
    unsafe withUnsafeBytes(of: characters) {
      unsafe String(decoding: $0.prefix(Int(length)), as: UTF8.self)
    }
  }

  // MARK: Names

  private static let names: [Int32: String] = [
    SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS",
    SIGABRT: "SIGABRT", SIGFPE: "SIGFPE",
  ]

  private static func name(of signal: Int32) -> String { names[signal] ?? "\(signal)" }

  /// Returns the name of the function at an offset in the executable; the offset if the name is
  /// unknown.
  private static func function(at offset: UInt64) -> String {
    var name = [CChar](repeating: 0, count: 512)
    // The offset is a return address, which follows the call.
    guard unsafe reactord_function_name(offset - 1, &name, name.count) != 0 else {
      return "0x" + String(offset, radix: 16)
    }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension CrashMarks: MetricsSource {
  func write(to text: inout MetricsText) {
    write(to: &text, quarantined: Int(unsafe reactord_quarantine_count(region)))
  }

  /// Writes the metrics with the number of entries of a quarantine.
  func write(to text: inout MetricsText, quarantined: Int) {
    text.family(
      "reactord_crashes_total", .counter,
      "Crashes of the service since its marks were created.",
      Int(clamping: unsafe reactord_crash_count(region)))
    text.family(
      "reactord_quarantined_actions", .gauge,
      "Actions and sessions that crashed the service and are rejected.", quarantined)
  }
}
