import Dispatch
import Glibc
import Synchronization
import Telemetry
import Testing

@testable import ReactorService

struct CredentialReloadTests {
  /// The settings whose tickets are valid for a number of seconds.
  private func settings(_ tokens: String, _ seconds: Int) -> AuthenticationSettings {
    var settings = AuthenticationSettings()
    settings.tokenFile = tokens
    settings.ticketLifetime = .seconds(seconds)
    return settings
  }

  /// Replaces a file of one token, whose length is that of its name and the number.
  private func write(_ number: Int, to path: String) throws {
    let file = try #require(fopen(path + ".new", "w"))
    fputs("a-token-of-a-reader-\(String(repeating: "x", count: number)) read\n", file)
    fclose(file)
    #expect(rename(path + ".new", path) == 0)
  }

  @Test(arguments: [("", false), (" \n", false), ("# no token\n", true)])
  func `a file of tokens that is empty, as while it is written, revokes none`(
    text: String, isAccepted: Bool
  ) throws {
    let path = "/tmp/reactord-empty-\(getpid())-\(text.utf8.count)"
    let file = try #require(fopen(path, "w"))
    fputs(text, file)
    fclose(file)
    defer { unlink(path) }
    let files = CredentialFiles(settings: settings(path, 1), reactors: [], logger: .silent)
    if isAccepted {
      let configuration = try files.configuration()
      #expect(configuration != nil)
    } else {
      let error = #expect(throws: ConfigurationError.self) { try files.configuration() }
      #expect("\(error as Any)".contains("empty"))
    }
  }

  @Test func `an issuer without a name beside a file of keys is rejected`() throws {
    var settings = AuthenticationSettings()
    let issuers = #"[{"issuer":"https://a.example","audience":[],"name":""}]"#
    settings.issuers = try JSONList(Array(issuers.utf8))
    settings.keyFile = "keys.pem"
    let files = CredentialFiles(settings: settings, reactors: nil, logger: .silent)
    let error = #expect(throws: ConfigurationError.self) { try files.configuration() }
    #expect("\(error as Any)".contains("auth.issuers"))
  }

  @Test func `a change of a file does not replace settings that were applied in the meantime`()
    throws
  {
    let path = "/tmp/reactord-tokens-\(getpid())"
    try write(0, to: path)
    defer { unlink(path) }
    let running = Atomic(0)
    let overlaps = Atomic(0)
    let lifetime = Mutex(Duration.zero)
    let files = CredentialFiles(settings: settings(path, 1), reactors: [], logger: .silent)
    let reload = CredentialReload(files, signature: [], logger: .silent) { _, settings in
      if running.add(1, ordering: .relaxed).oldValue > 0 {
        overlaps.add(1, ordering: .relaxed)
      }
      sched_yield()
      lifetime.withLock { $0 = settings.ticketLifetime }
      running.subtract(1, ordering: .relaxed)
    }
    let isDone = Atomic(false)
    let watching = DispatchGroup()
    DispatchQueue.global().async(group: watching) {
      while !isDone.load(ordering: .relaxed) { reload.applyIfChanged() }
    }
    for round in 2...300 {
      try write(round, to: path)
      try reload.apply(settings(path, round))
      #expect(lifetime.withLock { $0 } == .seconds(round))
    }
    isDone.store(true, ordering: .relaxed)
    watching.wait()
    #expect(lifetime.withLock { $0 } == .seconds(300))
    #expect(overlaps.load(ordering: .relaxed) == 0)
  }
}
