import Foundation
import ReactorClient
import Synchronization

// A driver of the Swift client for the conformance suite, see Tests/Tools/ClientConformance/README.md:
//
//     ConformanceDriver URL

enum Counter: ReactorInterface {
  enum Action: Codable { case increase, add(Int) }
  struct State: Codable {
    var value = 0
    var text = ""
  }
}

/// A line for the suite.
struct Message: Encodable {
  struct Failure: Encodable {
    var status: Int
    var code: String?
  }
  var state: Counter.State?
  var sent: Bool?
  var ended: Bool?
  var error: Failure?
}

let output = Mutex(FileHandle.standardOutput)

@Sendable func report(_ message: Message) {
  let line = try? JSONEncoder().encode(message)
  output.withLock { $0.write((line ?? Data()) + Data("\n".utf8)) }
}

/// A line of the suite.
///
/// `Codable` of the compiler does not read the short forms of the contract.
struct Command: Decodable {
  private struct Addition: Decodable { var add: Int }
  private enum CodingKeys: CodingKey { case send }
  var send: Counter.Action

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    if let addition = try? fields.decode(Addition.self, forKey: .send) {
      send = .add(addition.add)
    } else {
      _ = try fields.decode(String.self, forKey: .send)
      send = .increase
    }
  }
}

guard CommandLine.arguments.count == 2, let url = URL(string: CommandLine.arguments[1]) else {
  fatalError("usage: ConformanceDriver URL")
}
let server = ReactorServer(url: url) {
  let curl = Process()
  curl.executableURL = URL(filePath: "/usr/bin/curl")
  curl.arguments = ["--silent", "--fail", url.absoluteString + "/token"]
  let pipe = Pipe()
  curl.standardOutput = pipe
  try curl.run()
  return try JSONDecoder().decode(
    String.self, from: pipe.fileHandleForReading.readDataToEndOfFile())
}
let counter = server.reactor(Counter.self, "counter", session: "demo")
let subscriptions = DisposeBag()
counter.state.subscribe(onNext: { report(Message(state: $0)) }).disposed(by: subscriptions)
counter.connection
  .subscribe(onNext: { if case .ended = $0 { report(Message(ended: true)) } })
  .disposed(by: subscriptions)

// Reading standard input blocks, so that it needs a thread of its own.
let commands = AsyncStream<Command> { commands in
  Thread.detachNewThread {
    while let line = readLine() {
      if let command = try? JSONDecoder().decode(Command.self, from: Data(line.utf8)) {
        commands.yield(command)
      }
    }
    commands.finish()
  }
}
for await command in commands {
  Task {
    do throws(Problem) {
      report(Message(state: try await counter.send(command.send), sent: true))
    } catch {
      report(Message(sent: true, error: .init(status: error.status, code: error.code)))
    }
  }
}
