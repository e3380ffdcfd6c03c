import Foundation
import ReactorClient
import Testing

/// The client's interface of the hosted counter.
enum RemoteCounter: ReactorInterface {
  enum Action: Codable, Sendable {
    case increase
    case decrease
    case add(Int)
  }

  struct State: Codable, Equatable, Sendable {
    var value = 0
  }
}

/// Records the values of a stream, which a test waits for.
final class Recorder<Value: Sendable>: Sendable {
  private let values = Watched<[Value]>([])
  private let bag = DisposeBag()

  init(_ stream: Observable<Value>) {
    stream.subscribe(onNext: { [values] value in values.change { $0.append(value) } })
      .disposed(by: bag)
  }

  var all: [Value] { values.current }

  /// Waits for a value that satisfies a condition.
  ///
  /// Values that were already recorded count.
  @discardableResult
  func first(
    within time: Duration = Connection.timeout, where condition: (Value) -> Bool
  ) throws -> Value {
    let value = values.first(within: time) { $0.first(where: condition) }
    return try #require(value)
  }

  /// Waits until the last value satisfies a condition.
  @discardableResult
  func last(
    within time: Duration = Connection.timeout, where condition: (Value) -> Bool
  ) throws -> Value {
    let value = values.first(within: time) { $0.last.flatMap { condition($0) ? $0 : nil } }
    return try #require(value)
  }
}

extension ReactordProcess {
  /// A Swift client of this service.
  func swiftClient(
    _ configuration: ClientConfiguration = ClientConfiguration(),
    token: (@Sendable () async throws -> String)? = nil
  ) throws -> ReactorServer {
    ReactorServer(
      url: try #require(URL(string: url)), configuration: configuration, token: token)
  }
}

/// A session id that no other test uses.
func newSessionID() -> String { "swift-\(UUID().uuidString)" }
