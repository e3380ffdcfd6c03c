import Foundation

/// A server that does the job, or as much of it as it can.
struct Contestant {
  let name: String
  /// The address of a session's stream; `{session}` is its number.
  let events: String
  /// Where its actions are posted.
  let actions: String
  /// What raises the number that its events show by one; `{number}` is what the number will be.
  var body = #""increase""#
  /// Starts a fresh one.
  let start: () throws -> ServerUnderTest

  /// Whether something is aimed at for it.
  var isOurs: Bool { name.hasPrefix("reactord") }

  /// Where the actions of one session are posted.
  func actions(of session: String) -> String {
    actions.replacingOccurrences(of: "{session}", with: session)
  }
}

/// Who takes part.
struct Contestants {
  let bench: Bench

  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let counter = "/v1/reactors/counter/sessions/{session}"

  /// libmicrohttpd without a job behind it: the floor of what a request costs here.
  var bare: Contestant {
    contestant("bare handler") {
      try ServerUnderTest(
        bench.programs.appending(path: "BareHandler"), [], readiness: .line)
    }
  }

  /// The whole job, written plainly for node.
  var node: Contestant {
    contestant("node") {
      let script = Self.sources.appending(path: "plain-server.js")
      return try ServerUnderTest(
        try Programs.find("node", "nodejs"), [script.path], readiness: .line)
    }
  }

  /// nginx with nchan, a relay in C: it decodes nothing, keeps no state, and is quick.
  var nchan: Contestant {
    var contestant = contestant("nchan") {
      try NchanServer(bench: bench).start()
    }
    contestant.body = #"{"value":{number}}"#
    return contestant
  }

  var memory: Contestant { reactord("reactord, memory") }

  var sqlite: Contestant { reactord("reactord, sqlite", isDurable: true) }

  /// The daemon with some flags, and with data of its own if it is durable.
  func reactord(
    _ name: String, isDurable: Bool = false, _ flags: [String] = [], query: String = ""
  ) -> Contestant {
    contestant(name, query: query) {
      let data = bench.output.appending(path: "data")
      try? FileManager.default.removeItem(at: data)
      let store = isDurable ? "sqlite:\(data.path)/log.db" : "memory"
      return try startReactord(store: store, flags)
    }
  }

  /// The daemon on a store that may hold something.
  func startReactord(store: String, _ flags: [String] = []) throws -> ServerUnderTest {
    try ServerUnderTest(
      bench.programs.appending(path: "reactord"),
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
