internal import ClientCore
internal import Foundation
internal import ReactorCoding
internal import Synchronization

/// The file of the actions that have no final response: one JSON record per line.
///
/// Records are written before the request that they concern, without `fsync`: they survive the end
/// of the process, but the last ones can be lost in a power failure. A line that cannot be read,
/// such as the last one of a process that was killed, is skipped. The file is rewritten when it is
/// opened, and emptied when no action is left.
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

  private struct Contents {
    var file: FileHandle?
    var count = 0
    /// The records of this process, until the file has been read; `nil` afterwards.
    var unwritten: [Record]? = []
    /// Why the file could not be read.
    var problem: Problem?

    mutating func append(_ record: Record) {
      unwritten?.apply(record)
      write(record)
    }

    func write(_ record: Record) {
      guard let file, let line = try? JSONCoder.encode(record) else { return }
      try? file.write(contentsOf: Data(line + [UInt8(ascii: "\n")]))
    }
  }

  private let url: URL
  private let contents = Mutex(Contents())

  init(_ url: URL) {
    self.url = url
  }

  /// Why the file cannot be read; `nil` after it has been read.
  var problem: Problem? { contents.withLock { $0.problem } }

  /// Reads the actions of an earlier process in their order, and opens the file for writing.
  ///
  /// Returns no actions if the file cannot be read, or after it has been read. If it cannot be
  /// written, actions are in memory only.
  func load(now: Duration) -> [(key: String, restored: ActionQueue.Restored)] {
    let records = contents.withLock { open(&$0) }
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
    contents.withLock { contents in
      contents.count += 1
      contents.append(record)
    }
  }

  /// Records the first attempt, after which the server may have received the action.
  func sent(_ action: PendingAction) {
    let record = Record(kind: .sent, key: action.key, at: Self.milliseconds)
    contents.withLock { $0.append(record) }
  }

  /// Records that an action has its final response.
  func remove(_ action: PendingAction) {
    contents.withLock { contents in
      contents.count -= 1
      if contents.count > 0 || contents.unwritten != nil {
        contents.append(Record(kind: .done, key: action.key))
      } else {
        try? contents.file?.truncate(atOffset: 0)
      }
    }
  }

  /// Reads and rewrites the file; returns the records of the actions of earlier processes.
  private func open(_ contents: inout Contents) -> [Record] {
    guard let unwritten = contents.unwritten else { return [] }
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      data = Data()
    } catch {
      contents.problem = .unreadableQueue(url, error)
      return []
    }
    var records: [Record] = []
    for line in data.split(separator: UInt8(ascii: "\n")) {
      guard let record = try? JSONCoder.decode(Record.self, from: Array(line)) else { continue }
      records.apply(record)
    }
    let lines = records.compactMap { try? JSONCoder.encode($0) + [UInt8(ascii: "\n")] }
    try? Data(lines.joined()).write(to: url, options: .atomic)
    let file = try? FileHandle(forWritingTo: url)
    _ = try? file?.seekToEnd()
    contents = Contents(file: file, count: records.count + unwritten.count, unwritten: nil)
    for record in unwritten { contents.write(record) }
    return records
  }

  private static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}

extension [ActionJournal.Record] {
  /// Applies a record to those of the actions without a final response.
  fileprivate mutating func apply(_ record: ActionJournal.Record) {
    switch record.kind {
    case .add: append(record)
    case .sent:
      guard let index = firstIndex(where: { $0.key == record.key }) else { return }
      self[index].at = self[index].at ?? record.at
    case .done: removeAll { $0.key == record.key }
    }
  }
}

extension Problem {
  fileprivate static func unreadableQueue(_ url: URL, _ error: any Error) -> Problem {
    Problem(
      .unreadableQueue, "The offline queue cannot be read",
      "Its file (ClientConfiguration.offlineQueue) is not changed. ReactorServer.resume() reads it "
        + "again; until then actions are in memory only. \(url.path()): \(error)")
  }
}
