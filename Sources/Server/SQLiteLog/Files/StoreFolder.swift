internal import Glibc

/// The folder of a database.
enum StoreFolder {
  /// Creates the folder of a file, and its parents, if they are missing.
  static func create(for path: String) throws(SQLiteLogError) {
    guard !isFolder(path) else {
      throw SQLiteLogError(
        .cannotCreate, "the store \"\(path)\" is a folder: name a file in it instead")
    }
    var end = path.startIndex
    while let slash = path[end...].firstIndex(of: "/") {
      end = path.index(after: slash)
      let folder = String(path[..<slash])
      guard !folder.isEmpty, unsafe mkdir(folder, 0o750) != 0 else { continue }
      let error = SystemError.current
      guard error.code == EEXIST || isFolder(folder) else {
        throw SQLiteLogError(
          .cannotCreate,
          "cannot create the folder \"\(folder)\" of the store: "
            + error.description(withRemedyFor: folder))
      }
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
