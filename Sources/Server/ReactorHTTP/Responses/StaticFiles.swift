internal import Crypto

/// A file that is served as it is.
package struct StaticFile: Sendable, Equatable {
  /// The path, without the first slash: `inspector/tree.js`; the empty string for `/`.
  package let path: String

  /// The value of `Content-Type`.
  package let mediaType: String

  /// The contents.
  package let content: [UInt8]

  /// The entity tag of the contents, without its quotes.
  let tag: String

  /// Creates a file.
  package init(path: String, mediaType: String, content: [UInt8]) {
    self.path = path
    self.mediaType = mediaType
    self.content = content
    tag = String(SHA256.hexadecimal(of: content).prefix(16))
  }

  /// The path up to its last slash: `inspector` for `inspector/tree.js`, or `nil` at the root.
  var folder: Substring? {
    path.lastIndex(of: "/").map { path[..<$0] }
  }

  /// The path after its last slash; empty for the page of a folder, such as `examples/`.
  var name: Substring {
    path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
  }

  /// Whether a browser shows the file as a page of its own.
  var isPage: Bool { mediaType.hasPrefix("text/html") }
}

/// The files that a service serves in addition to its API: at `/`, `/{file}`, `/inspector/{file}`
/// and `/examples/{file}`.
package struct StaticFiles: Sendable {
  private let files: [String: StaticFile]
  private let order: [String]

  /// Creates a collection of files, each with a path of its own.
  package init(_ files: [StaticFile] = []) {
    self.files = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0) })
    order = files.map(\.path)
  }

  subscript(path: String) -> StaticFile? { files[path] }

  /// Returns the names of the files in a folder, `nil` for the root, in the order of creation.
  func names(in folder: Substring?) -> [String] {
    order.compactMap { files[$0] }.filter { $0.folder == folder && !$0.name.isEmpty }
      .map { String($0.name) }
  }
}
