internal import Crypto
internal import ReactorCluster
internal import ReactorLinks

/// Parses arbitrary bytes as each kind of message between nodes, and as the bytes of their connections.
enum ClusterFuzzing {
  static func run(_ bytes: [UInt8]) {
    for message in MessageFormat.read(bytes) {
      let again = MessageFormat.read(message)
      require(again.contains { $0 == message }, "a message that is written is read again")
    }
  }

  /// Reads frames, whole and in pieces: the result must not depend on the pieces; and sends the bytes to both sides of
  /// an encrypted connection.
  static func links(_ bytes: [UInt8]) {
    let whole = frames(bytes, piece: max(bytes.count, 1))
    require(frames(bytes, piece: 7) == whole, "the frames do not depend on where they are cut")
    var written: [UInt8] = []
    for frame in whole { frame.write(to: &written) }
    require(bytes.starts(with: written), "a frame that is written is read again")
    for content in whole.map(\.content) + [bytes] {
      guard let greeting = LinkGreeting(content) else { continue }
      require(LinkGreeting(greeting.bytes) == greeting, "a greeting that is written is read again")
      _ = try? greeting.version(in: greeting.cluster, at: greeting.receiver)
    }
    guard let key = try? SharedKey(Array("a secret".utf8), for: "fuzzing") else { return }
    for side in [SecureChannel.Side.client, .server] {
      guard let channel = try? SecureChannel(key, side) else { continue }
      var (plaintext, output) = ([UInt8](), [UInt8]())
      for start in stride(from: 0, to: bytes.count, by: SecureChannel.chunk) {
        let piece = bytes[start..<min(start + SecureChannel.chunk, bytes.count)]
        let isAccepted: Void? = piece.withUnsafeBufferPointer {
          try? channel.receive($0, into: &plaintext)
        }
        channel.takeOutput(into: &output)
        guard isAccepted != nil else { break }
      }
      require(plaintext.isEmpty && !channel.isOpen, "a peer without the key sends nothing")
    }
  }

  /// Reads frames without checking postconditions.
  static func framesOnly(_ bytes: [UInt8]) { _ = frames(bytes, piece: 65_536) }

  private static func frames(_ bytes: [UInt8], piece: Int) -> [LinkFrame] {
    var (reader, frames) = (FrameReader(), [LinkFrame]())
    for start in stride(from: 0, to: bytes.count, by: piece) {
      reader.append(Array(bytes[start..<min(start + piece, bytes.count)]))
      do {
        while let frame = try reader.next() { frames.append(frame) }
      } catch {
        return frames
      }
    }
    return frames
  }
}
