internal import ClientCore

/// Parses arbitrary bytes as data that a server sends to the Swift client: responses and events.
enum ClientFuzzing {
  /// Parses server-sent events, whole and in pieces: the result must not depend on the pieces.
  static func events(_ bytes: [UInt8]) {
    var (whole, pieces) = (EventParser(), EventParser())
    guard let items = try? whole.items(bytes[...]) else { return }
    var collected: [EventParser.Item] = []
    for start in stride(from: 0, to: bytes.count, by: 7) {
      guard let some = try? pieces.items(bytes[start..<min(start + 7, bytes.count)]) else {
        fatalError("a part is larger than the whole")
      }
      collected += some
    }
    require(items == collected, "the events do not depend on where the stream is cut")
    for case .event(let event) in items {
      guard let id = event.id else { continue }
      _ = SessionCursor(id)
      _ = CompositeID.cursor(of: CompositeID.tag(of: "counter/demo"), in: id)
    }
  }

  /// Parses events without checking postconditions.
  static func eventsOnly(_ bytes: [UInt8]) {
    var parser = EventParser()
    _ = try? parser.items(bytes[...])
  }

  /// Reads the lines of a head, as libcurl passes them on.
  static func response(_ bytes: [UInt8]) {
    guard let head = head(bytes) else { return }
    _ = head.cursor
    _ = head.retryAfter
    for field in head.fields {
      require(field.name == field.name.lowercased(), "names of fields are in lower case")
      require(field.value.utf8.allSatisfy { $0 < 0x80 }, "values of fields are ASCII")
    }
  }

  /// Reads the lines of a head without checking postconditions.
  static func responseOnly(_ bytes: [UInt8]) {
    _ = head(bytes)?.cursor
  }

  private static func head(_ bytes: [UInt8]) -> TransportHead? {
    var reader = HeadReader()
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      do {
        if let head = try reader.read(Array(line)) { return head }
      } catch {
        return nil
      }
    }
    return nil
  }
}
