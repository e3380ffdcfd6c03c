import Foundation
import ReactorClient

// An app with an offline queue, for tests that kill it.
//
// Its arguments are the URL of the server, the file of the queue, the session, the first number and the
// count. It adds the numbers with one action each and prints each number when its action is in the queue,
// then `done` when all have their responses.

enum Counter: ReactorInterface {
  enum Action: Codable { case add(Int) }
  struct State: Codable { var value = 0 }
}

let arguments = CommandLine.arguments
guard arguments.count == 6, let url = URL(string: arguments[1]), let first = Int(arguments[4]),
  let count = Int(arguments[5])
else { exit(2) }

var configuration = ClientConfiguration()
configuration.offlineQueue = URL(filePath: arguments[2])
let server = ReactorServer(url: url, configuration: configuration)
let counter = server.reactor(Counter.self, "counter", session: arguments[3])
for number in first..<(first + count) {
  counter.action.onNext(.add(number))
  FileHandle.standardOutput.write(Data("\(number)\n".utf8))
}
_ = try await counter.send(.add(0))
FileHandle.standardOutput.write(Data("done\n".utf8))
