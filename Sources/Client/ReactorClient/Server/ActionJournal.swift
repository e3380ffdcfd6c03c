internal import ClientCore
internal import Foundation
internal import ReactorCoding
internal import Synchronization

/// The file of the actions that have no final response: one JSON record per line.
///
/// Records are written before the request that they concern, without `fsync`: they survive the end
/// of the process, but the last ones can be lost in a power failure. A line that cannot be read,
/// such as the last one of a process that was killed, is skipped.
///
/// The file is rewritten when it is opened, and when it has more than ``smallSize`` and more than twice
/// the bytes of the pending actions; it is emptied when no action is left. A new file replaces the old
/// one in one step, so that the end of the process at any time loses nothing.
///
/// A file that exists but cannot be read, such as one that is protected while the device is locked, is
/// not changed: actions are in memory only until ``load(now:)`` has read the file.
final class ActionJournal: Sendable {
  fileprivate struct Record: Codable {
    enum Kind: String, Codable { case add, sent, done }

    var kind: Kind
    var key: String
    var session: String?
    var action: String?
    var expectation: String?
    var condition: String?
    /// Milliseconds since 1970.
    var at: Int64?
  }

  /// The actions without a final response.
  private struct Pending {
    private var entries: [String: (number: Int, record: Record, size: Int)] = [:]
    private var number = 0
    /// The bytes of their lines.
    private(set) var size = 0

    var isEmpty: Bool { entries.isEmpty }

    /// The records in the order of the actions.
    var records: [Record] { entries.values.sorted { $0.number < $1.number }.map(\.record) }

    /// Applies a record whose line has a size.
    mutating func apply(_ record: Record, size: Int) {
      switch record.kind {
      case .add:
        number += 1
        entries[record.key] = (number, record, size)
        self.size += size
      case .sent:
        guard var entry = entries[record.key], entry.record.at == nil else { return }
        entry.record.at = record.at
        entry.size += size
        entries[record.key] = entry
        self.size += size
      case .done: self.size -= entries.removeValue(forKey: record.key)?.size ?? 0
      }
    }
  }

  private struct Contents {
    var file: FileHandle?
    /// The size of the file.
    var size = 0
    /// Whether the file has been read; until then it is not written.
    var isRead = false
    var pending = Pending()
    /// Why the file could not be read.
    var problem: Problem?

    mutating func append(_ record: Record, to url: URL) {
      guard let line = ActionJournal.line(record) else { return }
      pending.apply(record, size: line.count)
      guard isRead else { return }
      if pending.isEmpty {
        try? file?.truncate(atOffset: 0)
        size = 0
        return
      }
      size += line.count
      if size > max(ActionJournal.smallSize, 2 * pending.size) {
        // If the file cannot be written, the records are appended to the old one.
        if rewrite(url) { return }
      }
      try? file?.write(contentsOf: Data(line))
    }

    /// Replaces the file by one with the pending actions only.
    mutating func rewrite(_ url: URL) -> Bool {
      let data = Data(pending.records.compactMap(ActionJournal.line).joined())
      do {
        try data.write(to: url, options: .atomic)
        let file = try FileHandle(forWritingTo: url)
        try file.seekToEnd()
        // The old file is gone: without this, a power failure could lose more than the last actions.
        try? file.synchronize()
        self.file = file
      } catch {
        return false
      }
      size = data.count
      return true
    }
  }

  /// The size in bytes up to which the file is only appended to.
  static let smallSize = 65_536

  private let url: URL
  private let contents = Mutex(Contents())

  init(_ url: URL) {
    self.url = url
  }

  /// Why the file cannot be read, or `nil` after it has been read.
  var problem: Problem? { contents.withLock { $0.problem } }

  /// Reads the actions of an earlier process in their order, and opens the file for writing.
  ///
  /// Returns no actions if the file cannot be read, or after it has been read. If it cannot be
  /// written, actions are in memory only.
  func load(now: Duration) -> [(key: String, restored: ActionQueue.Restored)] {
    let records = contents.withLock { read(&$0) }
    let time = Self.milliseconds
    return records.compactMap { record in
      guard let session = record.session, let body = record.action else { return nil }
      let action = PendingAction(
        id: 0, key: record.key, body: Array(body.utf8),
        expecting: record.expectation.flatMap { .init(rawValue: $0) } ?? .committed,
        condition: record.condition.flatMap { SessionCursor($0) }, isAwaited: false)
      let firstSentAt = record.at.map { now - .milliseconds(max(0, time - $0)) }
      return (session, ActionQueue.Restored(action: action, firstSentAt: firstSentAt))
    }
  }

  /// Records an action before it is sent.
  func add(_ action: PendingAction, of session: String) {
    let record = Record(
      kind: .add, key: action.key, session: session,
      action: String(decoding: action.body, as: UTF8.self),
      expectation: action.expectation.rawValue, condition: action.condition?.description)
    append(record)
  }

  /// Records the first attempt, after which the server may have received the action.
  func sent(_ action: PendingAction) {
    append(Record(kind: .sent, key: action.key, at: Self.milliseconds))
  }

  /// Records that an action has its final response.
  func remove(_ action: PendingAction) {
    append(Record(kind: .done, key: action.key))
  }

  /// Removes the file and its actions.
  func erase() {
    contents.withLock { contents in
      contents = Contents(isRead: true)
      try? FileManager.default.removeItem(at: url)
    }
  }

  private func append(_ record: Record) {
    contents.withLock { $0.append(record, to: url) }
  }

  /// Reads and rewrites the file; returns the records of the actions of earlier processes.
  private func read(_ contents: inout Contents) -> [Record] {
    guard !contents.isRead else { return [] }
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      data = Data()
    } catch {
      contents.problem = .unreadableQueue(url, error)
      return []
    }
    var stored = Pending()
    for line in data.split(separator: UInt8(ascii: "\n")) {
      guard let record = try? JSONCoder.decode(Record.self, from: Array(line)) else { continue }
      stored.apply(record, size: line.count + 1)
    }
    let records = stored.records
    for record in contents.pending.records {
      stored.apply(record, size: Self.line(record)?.count ?? 0)
    }
    contents = Contents(isRead: true, pending: stored)
    _ = contents.rewrite(url)
    return records
  }

  private static func line(_ record: Record) -> [UInt8]? {
    (try? JSONCoder.encode(record)).map { $0 + [UInt8(ascii: "\n")] }
  }

  private static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}

extension Problem {
  fileprivate static func unreadableQueue(_ url: URL, _ error: any Error) -> Problem {
    Problem(
      .unreadableQueue, "The offline queue cannot be read",
      "Its file (ClientConfiguration.offlineQueue) is not changed. ReactorServer.resume() reads it "
        + "again; until then actions are in memory only. \(url.path()): \(error)")
  }
}
