/// The output buffer of an encoder and its stack of open containers.
///
/// All containers of one `encode` call share it. Writing to a container closes those opened after
/// it; writing to a closed container is an error, so that the text is never malformed. Not
/// thread-safe, like `Encodable` itself.
final class JSONOutput {
  /// The text written so far.
  ///
  /// Unchecked exclusivity: no observer or nested access exists while it is modified, and the
  /// dynamic check would run per byte.
  @safe @exclusivity(unchecked) var bytes: [UInt8] = []

  @safe @exclusivity(unchecked) private(set) var frames: [Frame] = []
  private var nextIdentity: UInt32 = 0

  /// The first error of a method that cannot throw; untyped, so that the field takes a single
  /// pointer.
  @safe @exclusivity(unchecked) private(set) var misuse: (any Error)?

  /// The maximum depth of nested arrays and objects.
  @safe @exclusivity(unchecked) private var depthLimit = JSONDocument.defaultDepthLimit

  /// The depth of the open arrays and objects.
  @safe @exclusivity(unchecked) private var depth = 0

  /// The depth of the text that was begun last.
  @safe @exclusivity(unchecked) private(set) var deepest = 0

  /// The members of all open dictionaries, sorted when each is closed.
  private var dictionaryMembers: [(name: String, start: Int)] = []

  /// The offsets of the elements of all open unordered collections, sorted when each is closed.
  @safe @exclusivity(unchecked) private var elementStarts: [Int] = []

  /// The type of the value that is written next; `Void` for a container that a type opens itself.
  ///
  /// The encoder of a value has no room for it: an existential stores three words inline.
  @safe @exclusivity(unchecked) var valueType: any Any.Type = Void.self

  /// The elements of the former value, or `nil` for most values: those are encoded whole.
  @safe @exclusivity(unchecked) var elements: ElementRecorder?

  /// Begins a text with a maximum depth.
  func begin(depthLimit: Int) {
    self.depthLimit = depthLimit
    deepest = 0
  }

  /// The number of arrays and objects that can be nested in the open ones.
  var levelsLeft: Int { depthLimit - depth }

  /// Records arrays and objects that are nested in the open ones.
  ///
  /// - Returns: Whether the text is within its maximum depth; if not, the error is reported.
  @discardableResult
  func include(levels: Int) -> Bool {
    guard levels <= levelsLeft else {
      report(JSONDepthError(limit: depthLimit))
      return false
    }
    deepest = max(deepest, depth + levels)
    return true
  }

  /// Returns the depth of the arrays and objects that a closure writes.
  func levels(of write: () throws -> Void) rethrows -> Int {
    let before = deepest
    deepest = depth
    try write()
    defer { deepest = max(before, deepest) }
    return deepest - depth
  }

  /// Whether the text that is written next is not moved when an open container is closed.
  var textKeepsItsPlace: Bool {
    frames.allSatisfy { frame in
      switch frame.kind {
      case .object, .array: true
      case .dictionary, .set, .pairs, .singlePayload, .value: false
      }
    }
  }

  /// Removes and returns the written text.
  ///
  /// The result is copied into an exact allocation if the buffer is more than half empty: sessions
  /// retain these bytes.
  func takeBytes() -> [UInt8] {
    guard bytes.count <= bytes.capacity / 2 else {
      defer { bytes = [] }
      return bytes
    }
    defer { bytes.removeAll(keepingCapacity: true) }
    return unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// An open container.
  struct Frame {
    let kind: Kind
    let identity: UInt32
    /// The offset of the container's text.
    let start: Int
    var count = 0
    /// For a dictionary, the index of its first entry in `dictionaryMembers`; for an unordered
    /// collection, in `elementStarts`.
    var firstMember = 0
    /// For an enum case, the shape of its payload.
    var shape = CaseShape.none
    /// In an object, whether it has a member `_0`; in a payload, whether the payload is an
    /// object, which would be decoded as the labelled form.
    var hasSingleLabel = false
  }

  /// The kind of an open container.
  enum Kind {
    case object, dictionary, array
    /// An array whose elements, or pairs of elements, are sorted by their bytes: a `Set`, or a
    /// `Dictionary` whose keys are no coding keys.
    case set, pairs
    /// The payload of a case whose only key is `_0`; written without braces.
    case singlePayload
    /// A single value with an encoder of its own.
    case value
  }

  /// Refers to an open container: the depth of its frame and the identity of that frame.
  struct Place {
    let depth: UInt32
    let identity: UInt32

    /// A container that cannot be written to.
    static var closed: Place { Place(depth: .max, identity: 0) }
  }

  /// Opens a container at the end of the text; returns a closed one beyond the maximum depth.
  func open(_ kind: Kind) -> Place {
    switch kind {
    case .object, .dictionary, .array, .set, .pairs:
      guard include(levels: 1) else { return .closed }
      depth += 1
    case .singlePayload, .value: break
    }
    nextIdentity &+= 1
    if bytes.capacity == 0 { bytes.reserveCapacity(128) }
    var frame = Frame(kind: kind, identity: nextIdentity, start: bytes.count)
    switch kind {
    case .object: bytes.append(ASCII.openBrace)
    case .dictionary:
      bytes.append(ASCII.openBrace)
      frame.firstMember = dictionaryMembers.count
    case .array: bytes.append(ASCII.openBracket)
    case .set, .pairs:
      bytes.append(ASCII.openBracket)
      frame.firstMember = elementStarts.count
    case .singlePayload, .value: break
    }
    if frames.isEmpty { frames.reserveCapacity(8) }
    frames.append(frame)
    return Place(depth: UInt32(truncatingIfNeeded: frames.count - 1), identity: nextIdentity)
  }

  /// Closes the containers opened inside a container, so that it can be written to.
  ///
  /// - Returns: The index of its frame, or `nil` if the container itself is closed.
  @inline(__always)
  func resume(_ place: Place) -> Int? {
    let index = Int(place.depth)
    guard index < frames.count, frames[index].identity == place.identity else { return nil }
    if frames.count > index + 1 { close(downTo: index + 1) }
    return index
  }

  /// Closes all but the `count` outermost containers.
  func close(downTo count: Int) {
    while frames.count > count, let frame = frames.popLast() { close(frame) }
  }

  private func close(_ frame: Frame) {
    switch frame.kind {
    case .object:
      depth -= 1
      if frame.shape == .labelled, endsInEmptyPayload {
        // `{"increase":{}` becomes `"increase"`.
        bytes.removeLast(3)
        bytes.remove(at: frame.start)
      } else {
        bytes.append(ASCII.closeBrace)
        if frame.hasSingleLabel { markLabelledPayload() }
      }
    case .dictionary:
      depth -= 1
      sortMembers(of: frame)
      bytes.append(ASCII.closeBrace)
      if frame.hasSingleLabel { markLabelledPayload() }
    case .array:
      depth -= 1
      bytes.append(ASCII.closeBracket)
    case .set, .pairs:
      depth -= 1
      sortElements(of: frame)
      bytes.append(ASCII.closeBracket)
    case .value where frame.hasSingleLabel:
      markLabelledPayload()
    case .singlePayload where frame.hasSingleLabel:
      include(levels: 1 + Self.depth(of: bytes[frame.start...]))
      bytes.insert(contentsOf: SinglePayload.opening, at: frame.start)
      bytes.append(ASCII.closeBrace)
    case .singlePayload, .value:
      if bytes.count == frame.start {
        bytes.append(contentsOf: [ASCII.openBrace, ASCII.closeBrace])
      }
    }
  }

  /// Whether the text ends in a member whose value is `{}`.
  private var endsInEmptyPayload: Bool {
    bytes.count >= 3 && bytes[bytes.count - 3] == ASCII.colon
      && bytes[bytes.count - 2] == ASCII.openBrace && bytes[bytes.count - 1] == ASCII.closeBrace
  }

  /// Records that the object's only member is the payload of an enum case.
  func markCase(at index: Int, shape: CaseShape) {
    frames[index].shape = shape
  }

  /// Whether the innermost container is the place of a payload, or may be inside one.
  var isInPayload: Bool {
    switch frames.last?.kind {
    case .singlePayload, .value: true
    case .object, .dictionary, .array, .set, .pairs, nil: false
    }
  }

  /// Records that an object with a member `_0` was written, if it is a payload.
  func markLabelledPayload() {
    if isInPayload { frames[frames.count - 1].hasSingleLabel = true }
  }

  /// Records the name of a member that is written next.
  @inline(__always)
  func recordName(_ name: String, at index: Int) {
    if name.utf8.count == 2, name.hasSameBytes(as: CaseShape.singleLabel) {
      frames[index].hasSingleLabel = true
    }
  }

  /// Counts an element or member and writes the comma before it.
  @inline(__always)
  func separate(at index: Int) {
    if frames[index].count > 0 { bytes.append(ASCII.comma) }
    frames[index].count += 1
  }

  /// Counts elements whose commas are in their text.
  func countElements(_ count: Int, at index: Int) {
    frames[index].count += count
  }

  /// Records the name and offset of the next dictionary member.
  func recordMember(_ name: String) {
    dictionaryMembers.append((name, bytes.count))
  }

  /// Records the offset of the next element, if the order of the elements is not part of the value.
  @inline(__always)
  func recordElement(at index: Int) {
    switch frames[index].kind {
    case .set: elementStarts.append(bytes.count)
    case .pairs where frames[index].count % 2 == 1: elementStarts.append(bytes.count)
    default: break
    }
  }

  private func sortMembers(of frame: Frame) {
    let range = frame.firstMember..<dictionaryMembers.count
    defer { dictionaryMembers.removeLast(range.count) }
    let isSorted = range.dropFirst().allSatisfy { index in
      dictionaryMembers[index - 1].name.utf8.lexicographicallyPrecedes(
        dictionaryMembers[index].name.utf8)
    }
    guard !isSorted else { return }
    // A copy, so that removing the members does not copy those of the enclosing dictionaries.
    let members = Array(dictionaryMembers[range])
    let start = frame.start + 1
    let unsorted = Array(bytes[start...])
    let pieces = zip(members, members.dropFirst().map { $0.start - 1 } + [bytes.count])
      .map { (name: $0.name, range: $0.start - start..<$1 - start) }
      .sorted { left, right in
        // Different keys of a hand-written type can have the same name.
        left.name.hasSameBytes(as: right.name)
          ? unsorted[left.range].lexicographicallyPrecedes(unsorted[right.range])
          : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
      }
    replace(from: start, with: unsorted, in: pieces.lazy.map(\.range))
  }

  private func sortElements(of frame: Frame) {
    let count = elementStarts.count - frame.firstMember
    defer { elementStarts.removeLast(count) }
    guard count > 1 else { return }
    let start = frame.start + 1
    let unsorted = Array(bytes[start...])
    let pieces = UnorderedPieces(
      elementStarts[frame.firstMember...].map { $0 - start }, in: unsorted.span)
    replace(from: start, with: unsorted, in: pieces.ranges)
  }

  /// Rearranges the end of the text, whose pieces are separated by commas.
  ///
  /// - Parameters:
  ///   - start: The offset of the first piece.
  ///   - unsorted: The text from there.
  ///   - ranges: The ranges of all pieces in `unsorted`, in their new order.
  private func replace(
    from start: Int, with unsorted: [UInt8], in ranges: some Sequence<Range<Int>>
  ) {
    // The length stays the same, so each piece is copied to its place.
    unsafe bytes.withUnsafeMutableBufferPointer { text in
      unsafe unsorted.withUnsafeBufferPointer { unsorted in
        var offset = start
        for range in ranges {
          if offset > start {
            unsafe text[offset] = ASCII.comma
            offset += 1
          }
          let piece = unsafe UnsafeBufferPointer(rebasing: unsorted[range])
          _ = unsafe text[offset...].update(fromContentsOf: piece)
          offset += range.count
        }
      }
    }
  }

  /// Records an error of a method that cannot throw; the encoder throws it at the end.
  func report(_ error: any Error) {
    if misuse == nil { misuse = error }
  }
}
