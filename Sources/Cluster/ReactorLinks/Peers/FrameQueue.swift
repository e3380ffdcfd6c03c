/// The frames of a link that are not sent yet.
struct FrameQueue {
  /// The maximum number of bytes; one frame that is larger than the rest of the room is accepted by an empty
  /// queue.
  static let bound = LinkFrame.bound

  private var frames: [LinkFrame] = []
  private var start = 0
  private(set) var bytes = 0

  var isEmpty: Bool { start == frames.count }

  /// Adds a frame.
  ///
  /// - Returns: `false` if the queue has no room for it.
  mutating func append(_ frame: LinkFrame) -> Bool {
    guard isEmpty || bytes + frame.size <= Self.bound else { return false }
    bytes += frame.size
    frames.append(frame)
    return true
  }

  mutating func next() -> LinkFrame? {
    guard start < frames.count else { return nil }
    let frame = frames[start]
    bytes -= frame.size
    // Release the content.
    frames[start] = LinkFrame(frame.kind)
    start += 1
    if start == frames.count {
      frames.removeAll(keepingCapacity: frames.capacity <= 1_024)
      start = 0
    } else if start > 1_024, start > frames.count / 2 {
      frames.removeFirst(start)
      start = 0
    }
    return frame
  }
}
