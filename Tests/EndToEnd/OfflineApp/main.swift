import ClientCore
import Foundation
import ReactorClient

// An app with an offline queue, for tests that kill it.
//
// Its arguments are the URL of the server, the file of the queue, the session, the first number and the
// count. It adds the numbers with one action each and prints each number when its action is in the queue,
// then `done` when all have their responses. With a sixth argument, first an action for the session of that
// name is in the queue, and its requests never reach the server.

enum Counter: ReactorInterface {
  enum Action: Codable { case add(Int) }
  struct State: Codable { var value = 0 }
}

/// Reaches the server, except for one session.
struct ObstructedTransport: ClientTransport {
  let transport: any ClientTransport
  let session: String?

  func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, Problem>) -> Void
  ) {
    if let session, request.path.contains("/\(session)/") {
      return completion(.failure(.noResponse))
    }
    transport.send(request, completion: completion)
  }

  func open(
    _ request: TransportRequest, receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    transport.open(request, receive: receive)
  }

  func close() { transport.close() }
}

let arguments = CommandLine.arguments
guard [6, 7].contains(arguments.count), let url = URL(string: arguments[1]),
  let first = Int(arguments[4]),
  let count = Int(arguments[5])
else { exit(2) }

var configuration = ClientConfiguration()
configuration.offlineQueue = URL(filePath: arguments[2])
let stuck = arguments.count == 7 ? arguments[6] : nil
let server = ReactorServer(
  transport: ObstructedTransport(transport: ReactorServer.transport(for: url), session: stuck),
  configuration: configuration)
let obstructed = stuck.map { server.reactor(Counter.self, "counter", session: $0) }
obstructed?.action.onNext(.add(first))
let counter = server.reactor(Counter.self, "counter", session: arguments[3])
for number in first..<(first + count) {
  counter.action.onNext(.add(number))
  FileHandle.standardOutput.write(Data("\(number)\n".utf8))
}
_ = try await counter.send(.add(0))
FileHandle.standardOutput.write(Data("done\n".utf8))
