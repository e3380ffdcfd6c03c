/// The folder that the tests were built from.
enum Repository {
  /// Returns the path of a file, which is specified relative to the root of the repository.
  static func file(_ path: String) -> String {
    let here = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return here.dropLast(5).joined(separator: "/") + "/" + path
  }
}
