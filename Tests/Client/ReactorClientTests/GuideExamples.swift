// The code of the articles, which `GuideTests` compares. Views of SwiftUI are in CounterScreen.swift.
import Foundation
import ReactorClient
import ReactorHost
import ReactorStreams
import ReactorTestingHost
import Reactors

enum Counter: ReactorInterface {
  enum Action: Codable { case increase, add(Int) }
  struct State: Codable { var value = 0 }
}

/// Stands for the class of UIKit.
class UIViewController {}

/// Stands for the class of UIKit and its reactive extension.
struct UIButton: ReactiveCompatible {
  let taps = PublishSubject<Void>()
}

extension Reactive<UIButton> {
  var tap: Observable<Void> { base.taps.asObservable() }
}

/// Stands for the app's access to its identity provider.
struct Login {
  func token() async throws -> String { "" }
}

final class CounterViewController: UIViewController, View {
  var disposeBag = DisposeBag()
  private(set) var hasState = false

  func bind(reactor: RemoteReactor<CounterReactor>) {
    hasState = reactor.cursor != nil
  }
}

enum GuideExamples {
  static func overview(
    _ login: Login, _ button: UIButton, _ disposeBag: DisposeBag,
    _ show: @escaping @Sendable (Int) -> Void
  ) async throws -> Counter.State {
    // swift-format-ignore: NeverForceUnwrap
    let server = ReactorServer(url: URL(string: "https://api.example.org")!) {
      try await login.token()
    }
    let counter = server.reactor(Counter.self, "counter", session: "demo")

    button.rx.tap.map { .increase }.bind(to: counter.action).disposed(by: disposeBag)
    counter.state.map(\.value).distinctUntilChanged()
      .subscribe(onNext: show).disposed(by: disposeBag)
    let state = try await counter.send(.add(2), expecting: .effects)
    return state
  }

  static func parts(
    _ server: ReactorServer, _ boards: [String], _ disposeBag: DisposeBag,
    _ show: @escaping @Sendable (String, Int) -> Void
  ) {
    for id in boards {
      server.part("/cards/count", of: "board", session: id, as: Int.self)
        .subscribe(onNext: { show(id, $0) }).disposed(by: disposeBag)
    }
  }

  static func server(_ url: URL) -> ReactorServer {
    var configuration = ClientConfiguration()
    configuration.deliveryQueue = .main
    let server = ReactorServer(url: url, configuration: configuration)
    return server
  }

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
