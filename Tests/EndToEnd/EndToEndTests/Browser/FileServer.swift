import Foundation
import PublicTestData
import Testing

/// Serves the files of a folder at an origin of its own.
final class FileServer: Sendable {
  let url: String
  private let process: ChildProcess

  init(of folder: String) throws {
    process = try ChildProcess(
      PublicTestData.python.appending(path: "bin/python").path,
      ["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", folder, "0"])
    let line = try #require(process.firstLine(), "\(process.standardError)")
    let port = try #require(line.split(separator: " port ").last?.prefix { $0.isNumber })
    url = "http://127.0.0.1:\(port)"
  }
}
