/// The bodies of the responses that a worker sends, which count once however many connections send them.
///
/// Pure.
struct SentBodies {
  /// A body of a response that a connection sends.
  struct Body {
    /// The address of the bytes, or 0 if the connection has a copy of its own.
    var address: UInt = 0

    /// The number of bytes.
    var size = 0
  }

  /// The number of connections that send a body, by its address.
  private var senders: [UInt: Int] = [:]

  /// Adds the body of a connection; returns the bytes that are retained because of it.
  mutating func add(_ body: Body) -> Int {
    guard body.address != 0 else { return body.size }
    senders[body.address, default: 0] += 1
    return senders[body.address] == 1 ? body.size : 0
  }

  /// Removes the body of a connection; returns the bytes that are not retained any more.
  mutating func remove(_ body: Body) -> Int {
    guard body.address != 0, let count = senders[body.address] else { return body.size }
    senders[body.address] = count > 1 ? count - 1 : nil
    return count > 1 ? 0 : body.size
  }
}
