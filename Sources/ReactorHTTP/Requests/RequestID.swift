internal import ReactorHost
internal import Synchronization

/// Names of requests: the client's own, or one that no other request of any process has.
enum RequestID {
  private static let longest = 128
  private static let process = String(
    String(UInt64.random(in: .min ... .max), radix: 36).suffix(8))
  private static let count = Atomic<Int>(0)

  /// A name for a request that came without.
  ///
  /// It is short enough to be kept without an allocation for the first millions of requests.
  static func next() -> String {
    NumberedName(process, count.wrappingAdd(1, ordering: .relaxed).newValue, radix: 36).text
  }

  /// Whether a client's name is taken over: what could not stand in a log or a field as it is, or is
  /// longer than anyone needs, is not.
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
