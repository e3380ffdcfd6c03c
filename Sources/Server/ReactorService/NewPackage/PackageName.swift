/// The name of a package that `reactord new` writes, and the names derived from it.
///
/// A name is a lower-case letter followed by lower-case letters, digits and single hyphens, at most 40
/// bytes: it is the name of a folder, an executable, an image and a reactor.
struct PackageName: Equatable {
  /// The name of the package, the executable and the reactor: `todo-list`.
  let text: String

  /// The name as a Swift type: `TodoList`.
  let type: String

  /// Creates the names, or returns `nil` if the text does not fit the grammar.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    let words = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard bytes.count <= 40, let first = bytes.first, letters.contains(first),
      words.allSatisfy({ word in
        !word.isEmpty && word.allSatisfy { letters.contains($0) || digits.contains($0) }
      })
    else { return nil }
    self.text = text
    type = words.map { word in
      String(decoding: word.prefix(1), as: UTF8.self).uppercased()
        + String(decoding: word.dropFirst(), as: UTF8.self)
    }.joined()
  }

  /// The module of the reactor.
  ///
  /// It differs from the executable in more than the case of a letter, for
  /// file systems that ignore case.
  var module: String { type + "Reactors" }
}
