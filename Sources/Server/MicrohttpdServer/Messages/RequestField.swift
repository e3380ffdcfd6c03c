internal import Glibc
internal import ReactorTransport

/// A header field that the service or the framing reads.
enum RequestField: Sendable, Equatable {
  case header(HTTPHeader)
  case contentLength
  case transferEncoding

  /// Looks up a name by its bytes, ignoring the case of letters, or returns `nil` for any other field.
  static func named(_ name: UnsafeBufferPointer<UInt8>) -> RequestField? {
    unsafe table.field(named: name)
  }

  private static let table = Table()

  /// The known names, indexed by length: most other names differ from all of them in length.
  private struct Table: Sendable {
    private var namesByLength: [[(name: StaticString, field: RequestField)]] = []

    init() {
      for header in HTTPHeader.allCases { insert(header.name, .header(header)) }
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
      // Both have `name.count` bytes; neither needs to be zero-terminated.
      guard let start = name.baseAddress else { return false }
      return unsafe strncasecmp(start, known.utf8Start, name.count) == 0
    }
  }
}
