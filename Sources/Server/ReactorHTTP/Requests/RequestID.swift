internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport
internal import Synchronization

/// The ids of requests: the client's own, or a generated one that is unique across processes.
enum RequestID {
  private static let longest = 128
  private static let process = String(
    String(UInt64.random(in: .min ... .max), radix: 36).suffix(8))
  private static let count = Atomic<Int>(0)

  /// Generates an id.
  ///
  /// For the first millions of requests it is short enough to be stored without an allocation.
  static func next() -> String {
    IdentifierWriter(process, count.wrappingAdd(1, ordering: .relaxed).newValue, radix: 36).text
  }

  /// Whether a client's id can be used as it is in logs and header fields.
  static func isValid(_ id: String) -> Bool {
    !id.isEmpty && id.utf8.count <= longest
      && id.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-._~:+/=@".utf8.contains(byte)
        }
      }
  }
}

extension HTTPFields {
  /// Appends the id of a request, which is valid and need not be checked again.
  mutating func appendRequestID(_ id: String) {
    var id = id
    id.withUTF8 { id in
      guard let start = id.baseAddress else { return }
      unsafe append("X-Request-Id", byteCount: id.count) {
        unsafe $0.initialize(from: start, count: id.count)
      }
    }
  }
}
