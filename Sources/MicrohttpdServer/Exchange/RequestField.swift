internal import ReactorHTTP

/// A header field that means something to this server: to the service, or to the framing.
enum RequestField: Sendable, Equatable {
  case header(HTTPHeader)
  case contentLength
  case transferEncoding

  /// Recognizes a name by its bytes, in any case of its letters, without allocating for others.
  static func named(_ name: UnsafeBufferPointer<UInt8>) -> RequestField? {
    unsafe table.field(named: name)
  }

  private static let table = Table()

  /// The known names by their length: nearly every unknown name is told apart by that alone.
  private struct Table: Sendable {
    private var namesByLength: [[(name: [UInt8], field: RequestField)]] = []

    init() {
      for header in HTTPHeader.allCases { insert(header.rawValue, .header(header)) }
      insert("content-length", .contentLength)
      insert("transfer-encoding", .transferEncoding)
    }

    private mutating func insert(_ name: String, _ field: RequestField) {
      let bytes = Array(name.utf8)
      while namesByLength.count <= bytes.count { namesByLength.append([]) }
      namesByLength[bytes.count].append((bytes, field))
    }

    func field(named name: UnsafeBufferPointer<UInt8>) -> RequestField? {
      guard name.count < namesByLength.count else { return nil }
      for (known, field) in namesByLength[name.count] where unsafe matches(name, known) {
        return field
      }
      return nil
    }

    private func matches(_ name: UnsafeBufferPointer<UInt8>, _ known: [UInt8]) -> Bool {
      // From the end: `access-control-request-` is shared, and `host` costs the same.
      for index in known.indices.reversed() {
        let byte = unsafe name[index]
        let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
        if (isUpper ? byte | 0x20 : byte) != known[index] { return false }
      }
      return true
    }
  }
}
