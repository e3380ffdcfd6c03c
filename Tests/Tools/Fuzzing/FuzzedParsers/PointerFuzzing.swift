internal import ReactorCoding

/// Parses arbitrary text as a JSON Pointer and evaluates it.
enum PointerFuzzing {
  /// The text before the first line feed is the pointer, the rest the document.
  static func run(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let text = String(decoding: parts[0], as: UTF8.self)
    let pointer: JSONPointer
    do {
      pointer = try JSONPointer(text)
    } catch {
      require((0...text.utf8.count).contains(error.offset), "the offset is inside the text")
      return
    }
    require(pointer.description.utf8.elementsEqual(text.utf8), "a pointer reads back")
    guard parts.count > 1, let document = try? JSONDocument(parsing: Array(parts[1])) else {
      return
    }
    guard let element = document.root[pointer] else { return }
    // If names repeat, the pointer can differ, but it must refer to the same value.
    let found = document.root[element.pointer]
    require(found?.offset == element.offset, "the pointer of a value names it")
  }
}
