internal import CNats
internal import Glibc

/// A received message.
public struct NATSMessage: Sendable {
  /// The subject that it was published to.
  public let subject: String

  /// The subject for a reply, or `nil` for none.
  public let reply: String?

  /// The header fields; empty for most messages.
  ///
  /// If several fields have the same name, this is the value of the first one.
  public let headers: [String: String]

  /// The payload.
  public let payload: [UInt8]

  /// Whether the message reports that nothing subscribes to the subject of a request.
  public var isWithoutResponders: Bool { payload.isEmpty && headers["Status"] == "503" }

  /// Creates a message.
  public init(
    subject: String, reply: String? = nil, headers: [String: String] = [:], payload: [UInt8]
  ) {
    self.subject = subject
    self.reply = reply
    self.headers = headers
    self.payload = payload
  }

  /// Copies a message of the library, which the caller destroys.
  @unsafe init(copying message: OpaquePointer) {
    subject = unsafe String(cString: natsMsg_GetSubject(message))
    reply = unsafe natsMsg_GetReply(message).map { unsafe String(cString: $0) }
    let count = unsafe Int(natsMsg_GetDataLength(message))
    if count > 0, let data = unsafe natsMsg_GetData(message) {
      payload = unsafe Array(UnsafeRawBufferPointer(start: data, count: count))
    } else {
      payload = []
    }
    headers = unsafe Self.headers(of: message)
  }

  @unsafe private static func headers(of message: OpaquePointer) -> [String: String] {
    var keys: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    var count: Int32 = 0
    guard unsafe natsMsgHeader_Keys(message, &keys, &count) == NATS_OK, let keys = unsafe keys
    else { return [:] }
    // The array is the caller's, the texts are the message's.
    defer { unsafe free(keys) }
    var headers: [String: String] = [:]
    for index in 0..<Int(count) {
      guard let key = unsafe keys[index] else { continue }
      var value: UnsafePointer<CChar>?
      guard unsafe natsMsgHeader_Get(message, key, &value) == NATS_OK,
        let value = unsafe value
      else { continue }
      unsafe headers[String(cString: key)] = unsafe String(cString: value)
    }
    return headers
  }
}
