/// The location of the `reactord` package that a new package depends on.
enum PackageSource: Equatable {
  /// A checkout, absolute or relative to the new package.
  case path(String)

  /// A git repository; the package depends on the release of this binary.
  case url(String)

  /// Parses the value of `--package`.
  init(_ text: String) {
    let isURL = text.contains("://") || text.hasPrefix("git@")
    self = isURL ? .url(text) : .path(text)
  }

  /// The dependency in the manifest.
  var dependency: String {
    switch self {
    case .path(let path): #".package(path: "\#(Self.escaped(path))")"#
    case .url(let url):
      #".package(url: "\#(Self.escaped(url))", exact: "\#(ServiceVersion.current)")"#
    }
  }

  /// The identity that the package manager derives from the location: its last component, without
  /// `.git`.
  var identity: String {
    let text =
      switch self {
      case .path(let text), .url(let text): text
      }
    let last = text.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init) ?? text
    return (last.hasSuffix(".git") ? String(last.dropLast(4)) : last).lowercased()
  }

  /// The folder with the sources of `reactord`, seen from the new package.
  var folder: String {
    switch self {
    case .path(let path): path
    case .url: ".build/checkouts/\(identity)"
    }
  }

  /// Returns a text escaped for a Swift string literal.
  private static func escaped(_ text: String) -> String {
    String(text.flatMap { $0 == "\\" || $0 == "\"" ? ["\\", $0] : [$0] })
  }
}
