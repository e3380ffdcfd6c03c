internal import Glibc
internal import ReactorHTTP

/// A header field that means something to this server: to the service, or to the framing.
enum RequestField: Sendable, Equatable {
  case header(HTTPHeader)
  case host
  case contentLength
  case transferEncoding

  /// Recognizes a name by its bytes, in any case of its letters, without allocating for others.
  static func named(_ name: UnsafeBufferPointer<UInt8>) -> RequestField? {
    unsafe table.field(named: name)
  }

  private static let table = Table()

  /// The known names by their length: nearly every unknown name is told apart by that alone.
  private struct Table: Sendable {
    private var namesByLength: [[(name: StaticString, field: RequestField)]] = []

    init() {
      for header in HTTPHeader.allCases { insert(header.name, .header(header)) }
      insert("host", .host)
      insert("content-length", .contentLength)
      insert("transfer-encoding", .transferEncoding)
    }

    private mutating func insert(_ name: StaticString, _ field: RequestField) {
      let length = name.utf8CodeUnitCount
      while namesByLength.count <= length { namesByLength.append([]) }
      namesByLength[length].append((name, field))
    }

    func field(named name: UnsafeBufferPointer<UInt8>) -> RequestField? {
      guard name.count < namesByLength.count else { return nil }
      for (known, field) in namesByLength[name.count] where unsafe matches(name, known) {
        return field
      }
      return nil
    }

    private func matches(_ name: UnsafeBufferPointer<UInt8>, _ known: StaticString) -> Bool {
      // Within the count of both, so that it does not matter what is behind them.
      guard let start = name.baseAddress else { return false }
      return unsafe strncasecmp(start, known.utf8Start, name.count) == 0
    }
  }
}
