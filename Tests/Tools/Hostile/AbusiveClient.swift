import Foundation
import Synchronization

/// A kind of abusive client.
struct AbusiveClient: Sendable {
  /// The name on the command line.
  let name: String

  /// All kinds.
  static let all: [AbusiveClient] =
    connections + texts + documents + effects + streams + features + subscribers + bursts + shares
    + bounds
    + cluster

  /// The number of threads that run the kind concurrently.
  var threads = 2

  /// The statuses of the responses: exactly these must occur.
  ///
  /// Empty if the kind reads no responses.
  var expects: Set<Int> = []

  /// Additional flags of the daemon.
  ///
  /// `FOLDER` stands for a folder of its own.
  var flags: [String] = []

  /// The number of nodes.
  ///
  /// The kind uses the last node, the well-behaved clients use the first one.
  var nodes = 1

  /// Whether one run lasts for all windows with the kind, after it has called ``Target/ready()``.
  ///
  /// Otherwise each window has a run of its own.
  var isHeld = false

  /// Whether all clients are behind a trusted proxy, which forwards their addresses.
  var isProxied = false

  /// Creates the sessions that the abuse needs.
  var prepare: @Sendable (Target) -> Void = { _ in }

  /// Abuses the daemon until the deadline.
  let run: @Sendable (Target) -> Void

  /// The daemon as seen by one thread of an abusive client.
  struct Target: Sendable {
    let endpoint: Connection.Endpoint
    let deadline: Double
    /// The number of the thread.
    let thread: Int
    /// Counts the connections and responses.
    let tally: Tally
    let phase: Phase

    /// A name that is unique among threads and windows.
    var name: String { "\(thread)-\(Int(deadline * 1_000))" }

    var isTimeLeft: Bool { Clock.now < deadline && !phase.isOver.load(ordering: .relaxed) }

    /// Waits until the end of the windows.
    func wait() { while isTimeLeft { Clock.pause(0.05) } }

    /// Begins the windows of a kind that is held.
    func ready() { phase.ready.add(1, ordering: .relaxed) }

    func connect() -> Connection? {
      Connection(to: endpoint, timeout: 5, tally: tally)
    }

    /// Opens up to `count` connections and retains them until the deadline.
    func hold(_ count: Int, _ begin: (Connection, Int) -> Void, _ each: (Connection) -> Void) {
      var connections: [Connection] = []
      for number in 0..<count where isTimeLeft {
        guard let connection = connect() else { break }
        begin(connection, number)
        connections.append(connection)
      }
      ready()
      while isTimeLeft {
        for connection in connections { each(connection) }
        Clock.pause(0.1)
      }
    }

    /// Repeats an exchange until the deadline, reconnecting if the daemon closes the connection.
    func flood(_ exchange: (Connection, Int) -> Connection.Response?) {
      var connection: Connection?
      var turn = 0
      while isTimeLeft {
        if connection == nil { connection = connect() }
        guard let open = connection, exchange(open, turn) != nil else {
          connection = nil
          Clock.pause(0.005)
          continue
        }
        turn += 1
      }
    }

    /// Sends bytes over new connections until the deadline.
    func repeatedly(_ bytes: [UInt8]) {
      while isTimeLeft {
        guard let connection = connect() else {
          Clock.pause(0.01)
          continue
        }
        connection.send(bytes)
        connection.finishSending()
        _ = connection.response()
      }
    }
  }

  /// The progress of the threads of a kind.
  final class Phase: Sendable {
    /// The number of threads that have opened what they hold.
    let ready = Atomic(0)
    /// The number of threads that have ended.
    let ended = Atomic(0)
    let isOver = Atomic(false)
  }

  /// Returns the kind behind a trusted proxy: all connections have one address.
  func behindProxy() -> AbusiveClient {
    AbusiveClient(
      name: name + "-behind-a-proxy", threads: threads, expects: expects,
      flags: flags + ["--http-proxies", "127.0.0.0/8"], nodes: nodes, isHeld: isHeld,
      isProxied: true,
      prepare: prepare, run: run)
  }

  /// Sends a body as an action repeatedly.
  static func action(
    _ name: String, to reactor: String, session: String = "abused", threads: Int = 2,
    prepare: [String] = [], expects: Set<Int> = [422], _ body: @escaping @Sendable () -> String
  ) -> AbusiveClient {
    let path = "/v1/reactors/\(reactor)/sessions/\(session)/actions"
    return AbusiveClient(
      name: name, threads: threads, expects: expects,
      prepare: { target in
        let connection = target.connect()
        for action in prepare { _ = connection?.exchange("POST", path, body: Array(action.utf8)) }
      },
      run: { target in
        let bytes = Array(body().utf8)
        target.flood { connection, _ in connection.exchange("POST", path, body: bytes) }
      })
  }

  /// Sends a GET request with header fields repeatedly.
  static func get(
    _ name: String, _ target: String, threads: Int = 2, fields: String = "",
    expects: Set<Int> = [200], flags: [String] = [], nodes: Int = 1,
    prepare: @escaping @Sendable (Target) -> Void = { _ in }
  ) -> AbusiveClient {
    AbusiveClient(
      name: name, threads: threads, expects: expects, flags: flags, nodes: nodes, prepare: prepare
    ) {
      $0.flood { connection, _ in connection.exchange("GET", target, fields: fields) }
    }
  }

  /// Sends bytes that are not a valid request over new connections.
  static func malformed(
    _ name: String, expects: Set<Int> = [400], _ bytes: @escaping @Sendable () -> [UInt8]
  ) -> AbusiveClient {
    AbusiveClient(name: name, expects: expects) { $0.repeatedly(bytes()) }
  }
}

/// Texts and bodies that are expensive to handle.
enum Hostile {
  /// A letter with combining marks, about `count` bytes.
  static func marks(_ count: Int) -> String {
    "a" + String(repeating: "\u{301}\u{316}", count: count / 4)
  }

  /// The same text, with each byte of the marks as a percent escape.
  static func escapedMarks(_ count: Int) -> String {
    "a" + String(repeating: "%CC%81%CC%96", count: count / 12)
  }

  static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  /// An array that repeats an action.
  static func array(_ action: String, _ count: Int) -> String {
    "[" + repeated(action + ",", count - 1) + action + "]"
  }
}
