internal import ReactorLog

/// All kinds of messages, for a fuzzer: the bytes of a foreign sender must not trap.
package enum MessageFormat {
  /// Reads bytes as each kind of message of this protocol.
  ///
  /// - Returns: The bytes that this release writes for each kind that they can be read as.
  package static func read(_ bytes: [UInt8]) -> [[UInt8]] {
    [
      NodeMessage(bytes)?.bytes,
      NodeRequest.read(bytes).map { $0.request.bytes(from: $0.sender) },
      NodeReply(reading: bytes)?.bytes,
      SessionCall(reading: bytes)?.bytes,
      SessionReply(reading: bytes)?.bytes,
    ].compactMap { $0 }
  }
}
