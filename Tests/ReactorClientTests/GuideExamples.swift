// The code of the articles, which `GuideTests` compares. Views of SwiftUI are in CounterScreen.swift.
import ReactorClient
import ReactorHost
import ReactorTesting
import Reactors

enum Counter: ReactorInterface {
  enum Action: Codable { case increase, add(Int) }
  struct State: Codable { var value = 0 }
}

/// Stands for the class of UIKit.
class UIViewController {}

final class CounterViewController: UIViewController, View {
  var disposeBag = DisposeBag()
  private(set) var hasState = false

  func bind(reactor: RemoteReactor<CounterReactor>) {
    hasState = reactor.cursor != nil
  }
}

enum GuideExamples {
  static func interface(_ server: ReactorServer) -> RemoteReactor<Counter> {
    let counter = server.reactor(Counter.self, "counter", session: "demo")
    return counter
  }

  static func prediction(_ server: ReactorServer) -> RemoteReactor<CounterReactor> {
    let counter = server.reactor(
      CounterReactor.self, "counter", session: "demo", prediction: .local { CounterReactor() })
    return counter
  }

  static func bind(_ controller: CounterViewController, _ server: ReactorServer) {
    controller.reactor = server.reactor(CounterReactor.self, "counter", session: "demo")
  }

  @MainActor static func model() -> ObservedReactor<Counter> {
    let counter = ReactorRegistration("counter", summary: "Counts") { CounterReactor() }
    let server = ReactorServer.hosting([counter])
    let model = ObservedReactor(server.reactor(Counter.self, "counter", session: "test"))
    model.send(.increase)
    return model
  }
}
