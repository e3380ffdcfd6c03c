import Foundation
import ReactorCore
import ReactorHost
import ReactorStreams

/// A reactor whose stored data has each value that the releases write in different forms.
///
/// `Tests/EndToEnd/EndToEndTests/Durability/FormerStore` was written with it.
final class ArchiveReactor: Reactor {
  struct Shelf: Codable, Hashable, Sendable {
    var room: String
    var row: Int
  }

  struct Record: Codable, Hashable, Sendable {
    var time: Date
    var address: URL
    var content: Data
    var price: Decimal
    var labels: Set<String>
    var places: [Shelf: Set<Int>]
  }

  enum Action: Codable, Sendable {
    case put(Record)
    case remind(Record)
    case hold(Record)
  }

  enum Mutation: Codable, Sendable {
    case arrived(Record)
    case catalogued(Record?)
    case armed
  }

  struct State: Codable, Sendable {
    var first: Record?
    var last: Record?
    var catalogue: Record?
    var labels: Set<String> = []
    var armed = 0
  }

  let initialState: State
  private let catalogue: Observable<Record?>

  init(_ catalogue: Observable<Record?>, first: Record? = nil) {
    self.catalogue = catalogue
    initialState = State(first: first, labels: first?.labels ?? [])
  }

  func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
    .merge(mutation, catalogue.map(Mutation.catalogued))
  }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .put(let record): .just(.arrived(record))
    case .remind(let record):
      .concat(
        .just(.armed), schedule(.put(record), at: .now + .seconds(3_000_000_000), id: "reminder"))
    case .hold(let record): record.labels.contains("endless") ? .never() : .just(.arrived(record))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .arrived(let record):
      state.last = record
      state.labels.formUnion(record.labels)
    case .catalogued(let record): state.catalogue = record
    case .armed: state.armed += 1
    }
    return state
  }

  /// The reactor with and without parameters, and its global.
  static func parts() -> ([ReactorRegistration], any SharedGlobal) {
    let catalogue = Global<Record?>("catalogue", nil)
    let values = catalogue.asObservable()
    let reactors = [
      ReactorRegistration("archive", summary: "Keeps records") { ArchiveReactor(values) },
      ReactorRegistration("room", summary: "Keeps records", parameters: Record.self) {
        ArchiveReactor(values, first: $0.parameters)
      },
    ]
    return (reactors, catalogue)
  }
}
