internal import Glibc
internal import TerminalClient

/// `reactord new NAME [--example EXAMPLE] [--rx] [--package PATH|URL]`: writes a package into NAME.
public struct NewPackageCommand: Sendable {
  let name: PackageName
  let source: PackageSource
  var example: PackageExample?
  var hasRx = false

  /// Writes the package into a folder of its own in the working directory.
  ///
  /// The files are written to a temporary folder that is renamed at the end, so that a failure leaves
  /// nothing behind under the name of the package.
  ///
  /// - Returns: The lines to print.
  /// - Throws: A failure with exit code 73 (EX_CANTCREAT) if the folder exists or cannot be written.
  func execute() throws(CommandFailure) -> String {
    let folder = name.text
    guard unsafe access(folder, F_OK) != 0 else {
      throw CommandFailure(
        "\(folder) exists; choose another name or remove it", exitCode: 73)
    }
    let partial = ".\(folder).\(getpid())"
    let files = PackageTemplate(name: name, source: source, example: example, hasRx: hasRx).files
    do throws(CommandFailure) {
      for (path, text) in files {
        try Self.write(text, to: "\(partial)/\(path)")
      }
      guard unsafe rename(partial, folder) == 0 else { throw Self.failure(folder) }
    } catch {
      Self.removeFiles(of: partial, files.map(\.path))
      throw error
    }
    return """
      \(folder) has a reactor, its test, its page and a daemon. Next:

        cd \(folder)
        make test
        make run
      """
  }

  private static func write(_ text: String, to path: String) throws(CommandFailure) {
    for end in path.indices where path[end] == "/" {
      guard unsafe mkdir(String(path[..<end]), 0o777) == 0 || errno == EEXIST else {
        throw failure(path)
      }
    }
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var bytes = ArraySlice(Array(text.utf8))
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw failure(path)
      }
      bytes = bytes.dropFirst(count)
    }
  }

  private static func removeFiles(of folder: String, _ paths: [String]) {
    var folders: Set = [folder]
    for path in paths.map({ "\(folder)/\($0)" }) {
      _ = unsafe unlink(path)
      for end in path.indices where path[end] == "/" { folders.insert(String(path[..<end])) }
    }
    for folder in folders.sorted(by: { $0.utf8.count > $1.utf8.count }) { _ = unsafe rmdir(folder) }
  }

  private static func failure(_ path: String) -> CommandFailure {
    let reason = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
    return CommandFailure("cannot write \(path): \(reason)", exitCode: 73)
  }
}

extension PackageSource {
  /// Finds the folder `reactord` in the working directory, or else the checkout that this program
  /// was built in.
  static func find() -> PackageSource? {
    if isCheckout("reactord") { return .path("../reactord") }
    guard let program = unsafe realpath("/proc/self/exe", nil) else { return nil }
    defer { unsafe free(program) }
    var path = unsafe String(cString: program)[...]
    while let slash = path.lastIndex(of: "/") {
      path = path[..<slash]
      if isCheckout(String(path)) { return .path(String(path)) }
    }
    return nil
  }

  private static func isCheckout(_ folder: String) -> Bool {
    unsafe access("\(folder)/Package.swift", F_OK) == 0
      && access("\(folder)/Sources/Server/ReactorService", F_OK) == 0
  }
}
