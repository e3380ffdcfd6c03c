/// The environment of the service's process.
enum ServiceEnvironment {
  /// The variables that the service gets unless the supervisor has them.
  private static let defaults: [(name: String, value: String)] = [
    // The marks record the backtrace of a crash. Disable the backtrace of the Swift runtime: it
    // takes seconds, in which no request is served.
    ("SWIFT_BACKTRACE", "enable=no"),
    // The memory of requests is freed by the thread that completes a group of commits. With 128 instead of 7
    // cached blocks per size, threads return it to each other less often. At most 4.5 MB per thread.
    ("GLIBC_TUNABLES", "glibc.malloc.tcache_count=128"),
  ]

  /// Returns the supervisor's variables, the link, and defaults, as `NAME=VALUE`.
  static func variables(adding link: SupervisorLink, to inherited: [String]) -> [String] {
    let added = defaults.filter { name, _ in !inherited.contains { $0.hasPrefix(name + "=") } }
    return inherited + [link.variable] + added.map { $0.name + "=" + $0.value }
  }
}
