/// The bytes that an encoder is writing, and which containers are open in them.
///
/// All containers of one `encode` write here. A container that is written to closes those that were
/// opened after it; one that was closed refuses to be written to, so that the text is right or
/// there is none. One thread at a time, as `Encodable` demands of everybody.
final class JSONOutput {
  /// What has been written.
  ///
  /// Nothing observes or changes it while it is being changed, so that
  /// checking for that, byte by byte, is left out.
  @exclusivity(unchecked) var bytes: [UInt8] = []

  @exclusivity(unchecked) private(set) var frames: [Frame] = []
  private var nextIdentity: UInt32 = 0

  /// The first error that a method which cannot throw ran into; of any type, so that it takes one
  /// pointer.
  @exclusivity(unchecked) private(set) var misuse: (any Error)?

  /// The members of open dictionaries, to be sorted.
  private var dictionaryMembers: [(name: String, start: Int)] = []

  /// Takes out what has been written, so that another value can be.
  ///
  /// What is kept of a session are such bytes, so what is short is given no more room than it needs.
  func takeBytes() -> [UInt8] {
    guard bytes.count <= bytes.capacity / 2 else {
      defer { bytes = [] }
      return bytes
    }
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes.withUnsafeBufferPointer { Array($0) }
  }

  /// An open container.
  struct Frame {
    let kind: Kind
    let identity: UInt32
    /// Where the container's text starts.
    let start: Int
    var count = 0
    /// In a dictionary, the first of its members in `dictionaryMembers`.
    var firstMember = 0
    /// In an object that is an enum's case, the form of its payload.
    var shape = CaseShape.none
  }

  /// What an open container is.
  enum Kind {
    case object, dictionary, array
    /// The payload of a case whose only key is `_0`: the value stands there without braces.
    case singlePayload
    /// The place of one value that an encoder was made for.
    case value
  }

  /// The place of a container: where its frame is, and which frame it must be.
  struct Place {
    let depth: UInt32
    let identity: UInt32
  }

  /// Opens a container at the end of the text.
  func open(_ kind: Kind) -> Place {
    nextIdentity &+= 1
    if bytes.capacity == 0 { bytes.reserveCapacity(128) }
    var frame = Frame(kind: kind, identity: nextIdentity, start: bytes.count)
    switch kind {
    case .object: bytes.append(ASCII.openBrace)
    case .dictionary:
      bytes.append(ASCII.openBrace)
      frame.firstMember = dictionaryMembers.count
    case .array: bytes.append(ASCII.openBracket)
    case .singlePayload, .value: break
    }
    if frames.isEmpty { frames.reserveCapacity(8) }
    frames.append(frame)
    return Place(depth: UInt32(truncatingIfNeeded: frames.count - 1), identity: nextIdentity)
  }

  /// Closes what was opened inside a container, so that it can be written to.
  ///
  /// - Returns: the index of its frame, or `nil` if the container is closed itself.
  @inline(__always)
  func resume(_ place: Place) -> Int? {
    let index = Int(place.depth)
    guard index < frames.count, frames[index].identity == place.identity else { return nil }
    if frames.count > index + 1 { close(downTo: index + 1) }
    return index
  }

  /// Closes all containers but the outermost ones.
  func close(downTo count: Int) {
    while frames.count > count, let frame = frames.popLast() { close(frame) }
  }

  private func close(_ frame: Frame) {
    switch frame.kind {
    case .object:
      if frame.shape == .labelled, endsInEmptyPayload {
        // `{"increase":{}` becomes `"increase"`.
        bytes.removeLast(3)
        bytes.remove(at: frame.start)
      } else {
        bytes.append(ASCII.closeBrace)
      }
    case .dictionary:
      sortMembers(of: frame)
      bytes.append(ASCII.closeBrace)
    case .array:
      bytes.append(ASCII.closeBracket)
    case .singlePayload where SinglePayload.isMistakable(bytes[frame.start...]):
      bytes.insert(contentsOf: SinglePayload.opening, at: frame.start)
      bytes.append(ASCII.closeBrace)
    case .singlePayload, .value:
      if bytes.count == frame.start {
        bytes.append(contentsOf: [ASCII.openBrace, ASCII.closeBrace])
      }
    }
  }

  /// Whether the text ends in a member that is `{}`.
  private var endsInEmptyPayload: Bool {
    bytes.count >= 3 && bytes[bytes.count - 3] == ASCII.colon
      && bytes[bytes.count - 2] == ASCII.openBrace && bytes[bytes.count - 1] == ASCII.closeBrace
  }

  /// Notes that the object's only member holds the payload of an enum's case.
  func markCase(at index: Int, shape: CaseShape) {
    frames[index].shape = shape
  }

  /// Counts an element or member, and separates it from the one before.
  @inline(__always)
  func separate(at index: Int) {
    if frames[index].count > 0 { bytes.append(ASCII.comma) }
    frames[index].count += 1
  }

  /// Notes where a dictionary's member starts, which comes next.
  func noteMember(_ name: String) {
    dictionaryMembers.append((name, bytes.count))
  }

  private func sortMembers(of frame: Frame) {
    let members = dictionaryMembers[frame.firstMember...]
    defer { dictionaryMembers.removeLast(members.count) }
    guard members.count > 1 else { return }
    let pieces = zip(members, members.dropFirst().map { $0.start - 1 } + [bytes.count])
      .map { (name: $0.name, range: $0.start..<$1) }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let unsorted = bytes
    bytes.removeLast(bytes.count - frame.start - 1)
    for (position, piece) in pieces.enumerated() {
      if position > 0 { bytes.append(ASCII.comma) }
      bytes.append(contentsOf: unsorted[piece.range])
    }
  }

  /// Keeps an error that cannot be thrown where it happened; `finish` throws it.
  func report(_ error: EncodingError) {
    if misuse == nil { misuse = error }
  }
}
