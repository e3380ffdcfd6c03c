internal import Synchronization

/// The elements of the large arrays of the value that was encoded last, with their text: the next encoding
/// copies the text of those that have not changed.
///
/// An element has not changed if it has the same bits. The former elements are retained, so a reference with the
/// same bits is one to the same storage, and a collection copies shared storage before it changes it. The
/// value must therefore consist of values, and its `encode(to:)` must depend on them alone.
///
/// Arrays inside dictionaries, sets and payloads of enums are encoded again, since their text moves when these
/// are closed. Thread-safe; while an encoding uses the elements, another one encodes all of its own.
public final class EncodedElements: Sendable {
  struct Contents: Sendable {
    var text: [UInt8] = []
    // Proof: one encoding at a time has the contents, and elements are never changed.
    nonisolated(unsafe) var arrays: [any EncodedArray] = []
  }

  /// Smaller texts are encoded again.
  static let leastSize = 16_384

  private let contents = Mutex(Contents())

  /// Creates an object without elements.
  public init() {}

  /// The memory beside the text and the elements of the value, in bytes.
  public var byteCount: Int {
    contents.withLock { unsafe $0.arrays.reduce(0) { $0 + $1.byteCount } }
  }

  /// Releases the elements, of a value that is not used any more.
  public func removeAll() { _ = take() }

  /// Removes the elements, for the next encoding.
  func take() -> Contents {
    contents.withLock { contents in
      defer { contents = Contents() }
      return contents
    }
  }

  func keep(_ contents: Contents) {
    self.contents.withLock { $0 = contents }
  }
}

/// The elements of an array with their text.
protocol EncodedArray {
  /// The memory of the texts and of the array's own storage, in bytes.
  var byteCount: Int { get }
}

private struct ArrayOfTexts<Element>: EncodedArray {
  let elements: [Element]
  let texts: [ElementText]

  var byteCount: Int {
    elements.count * (MemoryLayout<ElementText>.stride + MemoryLayout<Element>.stride)
  }
}

/// The text of an element in the text of the whole value.
private struct ElementText {
  let start: UInt32
  let end: UInt32
  /// The depth of its arrays and objects.
  let levels: UInt32
}

/// The elements of arrays during an encoding.
final class ElementRecorder {
  private let former: EncodedElements.Contents
  /// The number of former arrays that were compared, or that precede them.
  private var compared = 0
  private(set) var arrays: [any EncodedArray] = []
  /// Whether an element of a recorded array is being written, whose arrays are not recorded.
  private var isInElement = false

  init(_ former: EncodedElements.Contents) {
    self.former = former
  }

  /// Arrays with fewer elements are encoded again.
  private static let leastCount = 16

  /// Writes a value if it is a large array whose text keeps its place.
  ///
  /// - Returns: Whether the value was written.
  func write<Value>(_ value: Value, to output: JSONOutput, inside place: JSONOutput.Place?) throws
    -> Bool
  {
    guard !isInElement, output.textKeepsItsPlace, let array = value as? any ElementwiseWritten,
      array.count >= Self.leastCount
    else { return false }
    isInElement = true
    defer { isInElement = false }
    try array.writeElements(to: output, inside: place, by: self)
    return true
  }

  /// Writes the elements, and copies the texts of those that the former array has.
  fileprivate func write<Element: Encodable>(
    _ elements: [Element], to output: JSONOutput, inside place: JSONOutput.Place?
  ) throws {
    let container = JSONUnkeyedOutput(
      output: output, place: JSONOutputEncoder(output: output, inside: place).place(of: .array))
    let known: ArrayOfTexts<Element>? = takeFormer()
    let places = known.map { ElementSearch.places(of: elements, in: $0.elements) } ?? []
    var texts: [ElementText] = []
    texts.reserveCapacity(elements.count)
    while texts.count < elements.count {
      let first = texts.count
      // A comma precedes all but the first.
      let start = UInt32(truncatingIfNeeded: output.bytes.count + (first == 0 ? 0 : 1))
      guard let known, let place = places[first] else {
        let levels = try output.levels { try container.encode(elements[first]) }
        let end = UInt32(truncatingIfNeeded: output.bytes.count)
        texts.append(
          ElementText(start: start, end: end, levels: UInt32(truncatingIfNeeded: levels)))
        continue
      }
      // Elements that follow each other in both arrays are copied together.
      var end = place + 1
      while end < known.texts.count, first + end - place < places.count,
        places[first + end - place] == end
      {
        end += 1
      }
      let run = known.texts[place..<end]
      let moved = start &- known.texts[place].start
      for text in run {
        texts.append(
          ElementText(start: text.start &+ moved, end: text.end &+ moved, levels: text.levels))
      }
      let text = Int(known.texts[place].start)..<Int(known.texts[end - 1].end)
      try container.append(
        former.text[text], count: run.count, levels: Int(run.map(\.levels).max() ?? 0))
    }
    arrays.append(ArrayOfTexts(elements: elements, texts: texts))
  }

  /// Returns the next former array with elements of a type.
  private func takeFormer<Element>() -> ArrayOfTexts<Element>? {
    for index in unsafe former.arrays.indices.dropFirst(compared) {
      guard let array = unsafe former.arrays[index] as? ArrayOfTexts<Element> else { continue }
      compared = index + 1
      return array
    }
    return nil
  }
}

/// An array, whose elements `encode(to:)` writes in their order.
private protocol ElementwiseWritten {
  var count: Int { get }

  func writeElements(
    to output: JSONOutput, inside place: JSONOutput.Place?, by recorder: ElementRecorder) throws
}

extension Array: ElementwiseWritten where Element: Encodable {
  fileprivate func writeElements(
    to output: JSONOutput, inside place: JSONOutput.Place?, by recorder: ElementRecorder
  ) throws {
    try recorder.write(self, to: output, inside: place)
  }
}

/// Finds the elements of an array in the former one, in their order.
@safe private struct ElementSearch {
  // Proof: the arrays are alive while `places` uses the search.
  private let elements: UnsafeRawPointer
  private let former: UnsafeRawPointer
  private let formerCount: Int
  private let size: Int
  private let stride: Int
  /// The element after the last one that was found.
  private var next = 0
  /// The number of elements since then, at most half of the window.
  private var misses = 0

  /// The number of elements in which one is searched: removed ones precede it.
  private static var window: Int { 8 }

  /// Returns the indices that elements have in the former array, or `nil` for those that are not found near
  /// their place.
  static func places<Element>(of elements: [Element], in former: [Element]) -> [Int?] {
    unsafe elements.withUnsafeBufferPointer { elements in
      unsafe former.withUnsafeBufferPointer { former in
        guard let first = elements.baseAddress, let other = former.baseAddress else {
          return Array(repeating: nil, count: elements.count)
        }
        var search = unsafe ElementSearch(
          elements: first, former: other, formerCount: former.count,
          size: MemoryLayout<Element>.size, stride: MemoryLayout<Element>.stride)
        return elements.indices.map { index in
          search.find(index) { unsafe haveSameMembers(first + index, other + $0) }
        }
      }
    }
  }

  private init(
    elements: UnsafeRawPointer, former: UnsafeRawPointer, formerCount: Int, size: Int, stride: Int
  ) {
    unsafe self.elements = elements
    unsafe self.former = former
    self.formerCount = formerCount
    self.size = size
    self.stride = stride
  }

  /// Returns the index of an element in the former array.
  private mutating func find(_ index: Int, haveSameMembers: (Int) -> Bool) -> Int? {
    let element = unsafe elements + index * stride
    let candidates = next..<min(next + Self.window, formerCount)
    let found =
      candidates.first { unsafe Self.haveSameBytes(element, former + $0 * stride, size) }
      ?? candidates.prefix(misses + 2).first(where: haveSameMembers)
    if let found {
      (next, misses) = (found + 1, 0)
    } else if misses < Self.window / 2 {
      // An added element, or one of several that were changed.
      misses += 1
    } else {
      next = min(next + 1, formerCount)
    }
    return found
  }

  private static func haveSameBytes(
    _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ size: Int
  ) -> Bool {
    unsafe UnsafeRawBufferPointer(start: one, count: size).bindMemory(to: UInt8.self).span
      .hasSameBytes(
        as: UnsafeRawBufferPointer(start: other, count: size).bindMemory(to: UInt8.self).span)
  }

  /// Compares the bytes of copies: those between the members of a value, which its copy leaves, are zero.
  private static func haveSameMembers<Element>(
    _ one: UnsafePointer<Element>, _ other: UnsafePointer<Element>
  ) -> Bool {
    unsafe withUnsafeTemporaryAllocation(of: Element.self, capacity: 2) { copies in
      guard let copy = copies.baseAddress else { return false }
      _ = unsafe UnsafeMutableRawBufferPointer(copies).initializeMemory(
        as: UInt8.self, repeating: 0)
      unsafe copy.initialize(from: one, count: 1)
      unsafe (copy + 1).initialize(from: other, count: 1)
      defer { unsafe copy.deinitialize(count: 2) }
      return unsafe haveSameBytes(copy, copy + 1, MemoryLayout<Element>.size)
    }
  }
}
