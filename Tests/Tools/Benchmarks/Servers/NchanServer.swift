import Foundation

/// nginx with nchan, unpacked from Debian's packages into the benchmark folder, so that nothing is
/// installed on the machine.
struct NchanServer {
  let bench: Bench

  private var unpacked: URL { bench.output.appending(path: "nginx") }

  func start() throws -> ServerUnderTest {
    let folder = unpacked.appending(path: "run")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "temporary"), withIntermediateDirectories: true)
    let port = try LoopbackPort.free()
    let pattern = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "nchan.conf")
    let configuration = try String(contentsOf: pattern, encoding: .utf8)
      .replacingOccurrences(of: "@MODULE@", with: try module(in: folder).path)
      .replacingOccurrences(of: "@PORT@", with: String(port))
    let file = folder.appending(path: "nginx.conf")
    try configuration.write(to: file, atomically: true, encoding: .utf8)
    return try ServerUnderTest(
      unpacked.appending(path: "usr/sbin/nginx"),
      ["-p", folder.path, "-c", file.path, "-e", "\(folder.path)/error.log"],
      readiness: .port(port))
  }

  /// Returns a copy of nchan with its working folder beside the configuration.
  ///
  /// The module creates a folder in /var/lib/nginx regardless of the configuration, which requires
  /// root.
  private func module(in folder: URL) throws -> URL {
    let original = unpacked.appending(path: "usr/lib/nginx/modules/ngx_nchan_module.so")
    let copy = folder.appending(path: "ngx_nchan_module.so")
    guard !FileManager.default.fileExists(atPath: copy.path) else { return copy }
    guard var bytes = try? Data(contentsOf: original) else {
      throw BenchmarkError("nchan is not in \(unpacked.relativePath); make bench unpacks it there")
    }
    let path = Data("/var/lib/nginx/".utf8)
    let own = Data("temporary//////".utf8)
    while let range = bytes.range(of: path) { bytes.replaceSubrange(range, with: own) }
    try bytes.write(to: copy)
    return copy
  }
}
