internal import ClientCore

/// Executes the machine of one stream of sessions.
typealias StreamDriver = MachineDriver<StreamMachine>

extension MachineDriver<StreamMachine> {
  /// Creates a driver without sessions.
  convenience init(_ client: ClientLink) {
    let machine = StreamMachine(
      capacity: client.configuration.sessionsPerStream, name: client.configuration.name)
    self.init(machine, client) { driver, output in driver.execute(output) }
  }

  var hasRoom: Bool { read { $0.hasRoom } }

  var status: ConnectionStatus { read { $0.status } }

  /// Whether a session is on this stream.
  func has(_ key: String) -> Bool { read { $0.has(key) } }

  private func execute(_ output: StreamMachine.Output) {
    switch output {
    case .status(let status): client.streamChanged(self, status)
    case .update(let key, let update): client.channel(key)?.receive(update)
    case .check(let keys): for key in keys { check(key) }
    case .overflow(let keys): for key in keys { client.join(key) }
    case .open, .close, .renewToken, .replaceCredential: break  // executed by the driver
    }
  }

  /// Reads the State of a session, and removes the session if the server rejects the request.
  private func check(_ key: String) {
    client.sender.send(.get(SessionPath.path(key) + "/state")) { [weak self] result in
      guard let self, case .success(let response) = result, response.head.status >= 400 else {
        return
      }
      let problem = Problem(response)
      guard problem.isFinal else { return }
      client.enter { [self] in apply { machine, _ in machine.remove(key, problem) } }
    }
  }
}

/// The paths of sessions.
enum SessionPath {
  /// The path of a session by its key, `counter/demo`.
  static func path(_ key: String) -> String {
    let parts = key.split(separator: "/", maxSplits: 1)
    return path(String(parts.first ?? ""), String(parts.last ?? ""))
  }

  static func path(_ reactor: String, _ session: String) -> String {
    "v1/reactors/\(reactor.percentEncoded)/sessions/\(session.percentEncoded)"
  }
}
