@testable import ReactorCore
@testable import ReactorStreams

extension ActionSubject {
  /// Creates a subject without a reactor.
  convenience init() {
    let sent = Broadcaster<Action>(replay: 0)
    self.init(sent: sent) { sent.send(.next($0)) }
  }

  /// As many values as there are observers.
  var observers: [Void] {
    Array(repeating: (), count: sent.observerCount)
  }
}
