/// The folder that the tests were built from.
enum Repository {
  /// The path of a file, given from the root of the repository.
  static func file(_ path: String) -> String {
    let here = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return here.dropLast(4).joined(separator: "/") + "/" + path
  }
}
