import Foundation
import ReactorClient

enum Counter: ReactorInterface {
  enum Action: Codable { case increase, decrease, add(Int) }
  struct State: Codable { var value = 0 }
}

guard CommandLine.arguments.count == 2, let url = URL(string: CommandLine.arguments[1]) else {
  print("usage: counter-client URL")
  exit(64)
}
let server = ReactorServer(url: url)
let counter = server.reactor(Counter.self, "counter", session: "demo")
print("sent:", try await counter.send(.add(2)).value)
for try await state in counter.state.values { print("now:", state.value) }
