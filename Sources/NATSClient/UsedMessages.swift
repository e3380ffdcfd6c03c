internal import CNats
internal import Synchronization

/// Messages of the library that are not used any more, collected so that they are freed together.
///
/// The library frees messages on a thread of its own. If that thread sleeps, each message wakes it:
/// without this list, twice per append.
struct UsedMessages {
  /// The number of messages at which they are freed.
  static let bound = 32
  /// The size of their payloads at which they are freed, in bytes.
  static let sizeBound = 65_536

  /// The messages of all connections.
  private static let all = Mutex(UsedMessages())

  private var messages: [UInt] = []
  private var size = 0

  /// Adds a message.
  ///
  /// - Parameters:
  ///   - message: The address of the message.
  ///   - size: The size of its payload.
  /// - Returns: The messages to free now.
  mutating func add(_ message: UInt, size: Int) -> [UInt] {
    messages.append(message)
    self.size += size
    guard messages.count >= Self.bound || self.size >= Self.sizeBound else { return [] }
    defer { self = UsedMessages() }
    return messages
  }

  /// Frees a message, which the caller owns and does not use any more, now or with later ones.
  @unsafe static func free(_ message: OpaquePointer) {
    let size = unsafe Int(natsMsg_GetDataLength(message))
    let address = UInt(bitPattern: message)
    for message in all.withLock({ $0.add(address, size: size) }) {
      unsafe natsMsg_Destroy(OpaquePointer(bitPattern: message))
    }
  }
}
