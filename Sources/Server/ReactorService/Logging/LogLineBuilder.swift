internal import ReactorLog

/// Builds the bytes of one log line within the maximum length.
struct LogLineBuilder {
  private var bytes: [UInt8] = []
  private let format: LogFormat
  private var hasFields = false
  private var isTruncated = false

  /// The maximum lengths of the message, of a field's name and of its value, in bytes.
  private static let messageLimit = 2_048
  private static let nameLimit = 128
  private static let valueLimit = 1_024

  /// Space reserved for the bytes that `finish()` appends.
  private static let reserve = 48

  init(_ format: LogFormat) {
    self.format = format
    bytes.reserveCapacity(256)
  }

  /// Appends the time, the level and the message.
  mutating func begin(time: Timestamp, level: String, message: String) {
    switch format {
    case .text:
      time.write(to: &bytes)
      write(" ", level)
      // Messages are aligned after the levels of at most five letters.
      for _ in 0..<max(1, 6 - level.utf8.count) { write(" ") }
      LogEscape.plain.write(message, to: &bytes, limit: Self.messageLimit)
    case .json:
      write("{\"time\":\"")
      time.write(to: &bytes)
      write("\",\"level\":\"", level, "\",\"message\":\"")
      LogEscape.json.write(message, to: &bytes, limit: Self.messageLimit)
      write("\",\"fields\":{")
    }
  }

  /// Appends a field if there is space; returns whether further fields may be appended.
  mutating func add(name: String, value: String) -> Bool {
    let start = bytes.count
    switch format {
    case .text:
      write(" ")
      LogEscape.plain.write(name, to: &bytes, limit: Self.nameLimit)
      write("=")
      if LogEscape.needsQuotes(value) {
        write("\"")
        LogEscape.quoted.write(value, to: &bytes, limit: Self.valueLimit)
        write("\"")
      } else {
        LogEscape.plain.write(value, to: &bytes, limit: Self.valueLimit)
      }
    case .json:
      write(hasFields ? ",\"" : "\"")
      LogEscape.json.write(name, to: &bytes, limit: Self.nameLimit)
      write("\":\"")
      LogEscape.json.write(value, to: &bytes, limit: Self.valueLimit)
      write("\"")
    }
    guard bytes.count + Self.reserve <= LogFormat.lineLimit else {
      bytes.removeSubrange(start...)
      isTruncated = true
      return false
    }
    hasFields = true
    return true
  }

  /// Appends the end of the line.
  consuming func finish() -> [UInt8] {
    switch format {
    case .text: write(isTruncated ? " truncated=true\n" : "\n")
    case .json:
      if isTruncated { write(hasFields ? "," : "", "\"truncated\":\"true\"") }
      write("}}\n")
    }
    return bytes
  }

  private mutating func write(_ words: String...) {
    for word in words { bytes.append(contentsOf: word.utf8) }
  }
}
