internal import FoundationEssentials
internal import TerminalClient

/// The daemon that a container runs, for `reactord health` without arguments.
///
/// A health check runs as a process of its own, with the container's environment but without the
/// arguments of the daemon, such as `--listen`. The arguments are read from the process table.
struct ContainerDaemon {
  /// The folder of the process, such as `/proc/1`.
  let folder: String

  /// Finds a daemon of the same executable that is process 1 or, under an init program, its child.
  static func find() -> ContainerDaemon? {
    let executable = link("/proc/self/exe")
    let children = read("/proc/1/task/1/children").split(separator: UInt8(ascii: " "))
    let candidates = ["1"] + children.map { String(decoding: $0, as: UTF8.self) }
    return candidates.lazy
      .map { ContainerDaemon(folder: "/proc/\($0)") }
      .first { executable != nil && link($0.folder + "/exe") == executable && $0.isServing }
  }

  /// The arguments without the name of the program.
  var arguments: [String] { Array(words("cmdline").dropFirst()) }

  var environment: [String: String] {
    let pairs = words("environ").compactMap { entry -> (String, String)? in
      guard let equals = entry.firstIndex(of: "=") else { return nil }
      return (String(entry[..<equals]), String(entry[entry.index(after: equals)...]))
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// Returns a probe of the address that the daemon listens on; `nil` if its configuration cannot
  /// be read.
  func probe(settings: [Setting]) -> HealthProbe? {
    let invocation = try? Configuration.parse(
      arguments: arguments, environment: environment,
      readFile: { path throws(FileProblem) in
        try SmallFile.read(
          path.hasPrefix("/") ? path : "\(folder)/cwd/\(path)", limit: ConfigurationFile.sizeLimit)
      },
      settings: settings)
    guard case .serve(let configuration, _)? = invocation else { return nil }
    return HealthProbe(listen: configuration.listen)
  }

  private var isServing: Bool { arguments.first == "serve" }

  private func words(_ file: String) -> [String] {
    Self.read("\(folder)/\(file)").split(separator: 0, omittingEmptySubsequences: false).dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
  }

  private static func read(_ path: String) -> [UInt8] {
    (try? SmallFile.read(path, limit: 4_194_304)) ?? []
  }

  private static func link(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }
}
