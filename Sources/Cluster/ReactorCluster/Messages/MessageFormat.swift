internal import ReactorLog

/// All kinds of messages, for a fuzzer: reading the bytes of a foreign sender must not trap.
package enum MessageFormat {
  /// Reads bytes as each kind of message of this protocol.
  ///
  /// - Returns: For each kind that the bytes can be read as, the bytes that this release writes for
  ///   the message.
  package static func read(_ bytes: [UInt8]) -> [[UInt8]] {
    [
      NodeMessage(reading: bytes)?.bytes,
      NodeRequest.read(bytes).map { $0.request.bytes(from: $0.sender) },
      NodeReply(reading: bytes)?.bytes,
      SessionCall(reading: bytes)?.bytes,
      SessionReply(reading: bytes)?.bytes,
    ].compactMap { $0 }
  }
}
