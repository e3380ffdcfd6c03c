import Foundation
import SampleToken

/// A server that implements all or part of the workload.
struct Contestant {
  let name: String
  /// The path of a session's stream; `{session}` is its number.
  let events: String
  /// The path for actions.
  let actions: String
  /// The action that raises the number shown in events by one; `{number}` is the new number.
  var body = #""increase""#
  /// The token of its requests, or `nil` for none.
  var token: String?
  /// Starts a new instance.
  let start: () throws -> ServerUnderTest

  /// Whether the contestant is the daemon, to which the targets apply.
  var isOurs: Bool { name.hasPrefix("reactord") }

  /// Returns the action path of one session.
  func actions(of session: String) -> String {
    actions.replacingOccurrences(of: "{session}", with: session)
  }
}

/// The contestants.
struct Contestants {
  let bench: Bench

  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let counter = "/v1/reactors/counter/sessions/{session}"

  /// A bare libmicrohttpd handler: the minimum cost of a request on this machine.
  var bare: Contestant {
    contestant("bare handler") {
      try ServerUnderTest(
        bench.programs.appending(path: "BareHandler"), [], readiness: .line)
    }
  }

  /// The whole workload in straightforward Node.js.
  var node: Contestant {
    contestant("node") {
      let script = Self.sources.appending(path: "plain-server.js")
      return try ServerUnderTest(
        try Programs.find("node", "nodejs"), [script.path], readiness: .line)
    }
  }

  /// nginx with nchan, a relay in C that neither decodes nor stores a state.
  var nchan: Contestant {
    var contestant = contestant("nchan") {
      try NchanServer(bench: bench).start()
    }
    contestant.body = #"{"value":{number}}"#
    return contestant
  }

  var memory: Contestant { reactord("reactord, memory") }

  /// The daemon with a key and a rule per user.
  ///
  /// Its requests have a token that expires in 2100.
  var authenticated: Contestant {
    var contestant = contestant("reactord, Ed25519 token") {
      let keys = bench.output.appending(path: "keys.json")
      try SampleToken.keys.write(to: keys, atomically: true, encoding: .utf8)
      return try startReactord(
        store: "memory",
        [
          "--auth-jwt-keys", keys.path, "--auth-jwt-audience", "bench", "--auth-rules",
          #"[{"allow":"act","to":"counter/{sub}"}]"#,
        ])
    }
    contestant.token = SampleToken.text
    return contestant
  }

  var sqlite: Contestant { reactord("reactord, sqlite", isDurable: true) }

  /// The daemon with flags.
  ///
  /// A durable one has a data folder of its own.
  func reactord(
    _ name: String, isDurable: Bool = false, _ flags: [String] = [], query: String = "",
    program: URL? = nil
  ) -> Contestant {
    contestant(name, query: query) {
      let data = bench.output.appending(path: "data")
      try? FileManager.default.removeItem(at: data)
      let store = isDurable ? "sqlite:\(data.path)/log.db" : "memory"
      return try startReactord(store: store, flags, program: program)
    }
  }

  /// The daemon and another build of it at a path.
  func pair(before path: String, isDurable: Bool) -> [Contestant] {
    let store = isDurable ? "sqlite" : "memory"
    let other = URL(fileURLWithPath: path)
    return [
      reactord("reactord, \(store)", isDurable: isDurable),
      reactord("before, \(store)", isDurable: isDurable, program: other),
    ]
  }

  /// The daemon on an existing store.
  func startReactord(
    store: String, _ flags: [String] = [], program: URL? = nil
  ) throws -> ServerUnderTest {
    try ServerUnderTest(
      program ?? bench.programs.appending(path: "reactord"),
      ["serve", "--listen", "127.0.0.1:0", "--store", store, "--log-level", "error"] + flags,
      readiness: .line)
  }

  private func contestant(
    _ name: String, query: String = "", _ start: @escaping () throws -> ServerUnderTest
  ) -> Contestant {
    Contestant(
      name: name, events: Self.counter + "/events" + query, actions: Self.counter + "/actions",
      start: start)
  }
}
