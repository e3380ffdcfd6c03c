/// The unit of a link: a kind, a number that joins a reply to a request, and bytes.
///
/// On the link it has a head of 13 bytes: the size of its content (4 bytes), its kind (1 byte) and its number
/// (8 bytes), big-endian.
package struct LinkFrame: Equatable, Sendable {
  /// The meaning of the content.
  package enum Kind: UInt8, Sendable {
    /// The first frame of the process that has connected, see ``LinkGreeting``.
    case greeting = 1
    /// The greeting is accepted; the number is the version of the links.
    case welcome = 2
    /// The greeting is rejected; the number is a ``LinkRejection``.
    case rejection = 3
    case request = 4
    case reply = 5
    case message = 6
  }

  package static let headSize = 13

  /// The maximum size of a content.
  package static let bound = 64 << 20

  package let kind: Kind
  package let number: UInt64
  package let content: [UInt8]

  package init(_ kind: Kind, number: UInt64 = 0, _ content: [UInt8] = []) {
    (self.kind, self.number, self.content) = (kind, number, content)
  }

  /// The size of the frame on the link.
  package var size: Int { Self.headSize + content.count }

  package func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(UInt64(content.count), size: 4)
    bytes.append(kind.rawValue)
    bytes.appendBigEndian(number, size: 8)
    bytes += content
  }
}

/// A peer has sent bytes that violate the format.
package struct FrameError: Error, Equatable {
  package init() {}
}

/// Divides the bytes of a link into frames.
package struct FrameReader: Sendable {
  private var bytes: [UInt8] = []
  private var start = 0

  package init() {}

  /// Adds received bytes.
  package mutating func append(_ received: [UInt8]) {
    if start == bytes.count {
      bytes = received
      start = 0
    } else {
      bytes += received
    }
  }

  /// Removes the next frame.
  ///
  /// - Parameter bound: The maximum size of its content.
  /// - Returns: The frame, or `nil` if it is incomplete.
  /// - Throws: If the frame is larger, or has an unknown kind.
  package mutating func next(bound: Int = LinkFrame.bound) throws(FrameError) -> LinkFrame? {
    guard bytes.count - start >= LinkFrame.headSize else { return nil }
    let size = Int(bytes.bigEndian(at: start, size: 4))
    guard size <= bound, let kind = LinkFrame.Kind(rawValue: bytes[start + 4]) else {
      throw FrameError()
    }
    let content = start + LinkFrame.headSize
    guard bytes.count - content >= size else {
      compact()
      return nil
    }
    let number = bytes.bigEndian(at: start + 5, size: 8)
    start = content + size
    return LinkFrame(kind, number: number, Array(bytes[content..<start]))
  }

  /// Removes the frames that were read, at a cost that is proportional to the bytes that were received.
  private mutating func compact() {
    guard start > bytes.count / 2 else { return }
    bytes.removeFirst(start)
    start = 0
  }
}

extension [UInt8] {
  /// Appends the lowest bytes of a number, the highest one first.
  mutating func appendBigEndian(_ number: UInt64, size: Int) {
    for shift in stride(from: 8 * (size - 1), through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }

  /// The number of some bytes, the highest one first.
  func bigEndian(at start: Int, size: Int) -> UInt64 {
    self[start..<start + size].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
