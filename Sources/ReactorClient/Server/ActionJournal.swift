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
final class ActionJournal: Sendable {
  private struct Record: Codable {
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
  }

  private let url: URL
  private let contents = Mutex(Contents())

  init(_ url: URL) {
    self.url = url
  }

  /// Reads the actions of an earlier process in their order, and opens the file for writing.
  ///
  /// A file that cannot be read is treated as empty. If the file cannot be written, actions are in
  /// memory only.
  func load(now: Duration) -> [(key: String, restored: ActionQueue.Restored)] {
    var records: [Record] = []
    let data = (try? Data(contentsOf: url)) ?? Data()
    for line in data.split(separator: UInt8(ascii: "\n")) {
      guard let record = try? JSONCoder.decode(Record.self, from: Array(line)) else { continue }
      switch record.kind {
      case .add: records.append(record)
      case .sent:
        guard let index = records.firstIndex(where: { $0.key == record.key }) else { continue }
        records[index].at = records[index].at ?? record.at
      case .done: records.removeAll { $0.key == record.key }
      }
    }
    rewrite(records)
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
      Self.append(record, to: contents.file)
    }
  }

  /// Records the first attempt, after which the server may have received the action.
  func sent(_ action: PendingAction) {
    let record = Record(kind: .sent, key: action.key, at: Self.milliseconds)
    contents.withLock { Self.append(record, to: $0.file) }
  }

  /// Records that an action has its final response.
  func remove(_ action: PendingAction) {
    contents.withLock { contents in
      contents.count -= 1
      if contents.count > 0 {
        Self.append(Record(kind: .done, key: action.key), to: contents.file)
      } else {
        try? contents.file?.truncate(atOffset: 0)
      }
    }
  }

  private static func append(_ record: Record, to file: FileHandle?) {
    guard let file, let line = try? JSONCoder.encode(record) else { return }
    try? file.write(contentsOf: Data(line + [UInt8(ascii: "\n")]))
  }

  private func rewrite(_ records: [Record]) {
    let lines = records.compactMap { try? JSONCoder.encode($0) + [UInt8(ascii: "\n")] }
    try? Data(lines.joined()).write(to: url, options: .atomic)
    let file = try? FileHandle(forWritingTo: url)
    _ = try? file?.seekToEnd()
    contents.withLock { $0 = Contents(file: file, count: records.count) }
  }

  private static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
