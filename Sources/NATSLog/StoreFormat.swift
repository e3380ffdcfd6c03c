internal import ReactorLog

/// All formats of the store, for a fuzzer: what a broker returns must not trap.
package enum StoreFormat {
  /// Reads bytes as each part of a message that a stream stores.
  package static func read(_ bytes: [UInt8]) {
    if let message = LogMessage(bytes, expecting: 1) {
      let head = SessionHead(message, at: 2, by: nil)
      _ = head.index.count
      _ = head.appending(LogBatch(), to: head.epoch, now: .now).json(expecting: 2)
    }
    if let page = Page(bytes) { _ = (page.lastVersion, page.index.count) }
    if let record = FeedRecord(bytes) { _ = (record.lastNumber, record.index.count) }
    _ = StoredQuarantine.Entry(record: bytes)
    _ = SnapshotRecord(bytes)
    _ = StreamMessage.headers(of: bytes)
    _ = Base64.decode(bytes[...])
    let text = String(decoding: bytes, as: UTF8.self)
    _ = WriterMark(text)
    guard let key = StoreNames.session(of: text) else { return }
    let names = StoreNames(prefix: "reactord", logStreams: 1)
    let again = StoreNames.session(of: names.logSubject(of: key))
    precondition(again == key, "a subject names its session")
  }
}
