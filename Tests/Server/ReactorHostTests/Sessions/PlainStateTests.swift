import LogTestSupport
import ReactorCoding
import ReactorCore
import ReactorHost
import Shares
import Synchronization
import Telemetry
import Testing

/// Elements of a `PlainState` that a mutation does not change are not encoded again.
struct PlainStateTests {
  final class ListReactor: Reactor {
    enum Action: String, Codable, Sendable { case append, double }
    typealias Mutation = Action

    struct Item: Codable, Sendable {
      /// The variables that the encodings of this task read and write beside the values.
      @TaskLocal static var outside = Outside()

      var text: String

      func encode(to encoder: any Encoder) throws {
        Self.outside.encodings.add(1, ordering: .relaxed)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text + Self.outside.ending.withLock { $0 }, forKey: .text)
      }
    }

    struct State: Codable, Sendable, PlainState {
      var items: [Item]
    }

    let initialState = State(
      items: (0..<100).map { Item(text: "\($0): " + String(repeating: "text ", count: 60)) })

    func mutate(action: Action) -> Observable<Mutation> { .just(action) }

    func reduce(state: State, mutation: Mutation) -> State {
      switch mutation {
      case .append: State(items: state.items + [Item(text: "new")])
      case .double: State(items: state.items + state.items)
      }
    }
  }

  final class Outside: Sendable {
    let encodings = Atomic<Int>(0)
    let ending = Mutex("")
  }

  private func host(
    _ check: HostSettings.MutationCheck, stateLimit: Int = 1_048_576, ledger: Ledger? = nil,
    lines: Recorder<[String: String]>? = nil
  ) -> Host {
    var settings = HostSettings()
    settings.mutationCheck = check
    settings.stateLimit = stateLimit
    if let ledger { settings.ledger = ledger }
    return Host(
      [ReactorRegistration("list", summary: "A list") { ListReactor() }], settings: settings,
      logger: Logger(level: .error) { _, _, fields in lines?.add(Dictionary(fields) { $1 }) })
  }

  private func submit(_ action: String, to session: any Session) throws {
    try session.submit(
      Array("\"\(action)\"".utf8), ifAt: nil, key: nil, for: RequestContext(id: "r"),
      accepted: { _ in }, completion: { _ in })
  }

  @Test func `an action encodes the element that it adds`() throws {
    let outside = Outside()
    try ListReactor.Item.$outside.withValue(outside) {
      let session = try host(.never).open("list", "a", for: .ensure)
      for _ in 0..<3 { try submit("append", to: session) }
      let before = outside.encodings.load(ordering: .relaxed)
      try submit("append", to: session)
      #expect(outside.encodings.load(ordering: .relaxed) - before == 1)
      let texts = try JSONCoder.decode(ListReactor.State.self, from: session.current.json).items
      #expect(texts.map(\.text).suffix(5).dropFirst() == ["new", "new", "new", "new"])
    }
  }

  @Test func `a State whose JSON depends on more than its values is found and sent whole`() throws {
    let outside = Outside()
    let lines = Recorder<[String: String]>()
    try ListReactor.Item.$outside.withValue(outside) {
      let session = try host(.always, lines: lines).open("list", "a", for: .ensure)
      for _ in 0..<3 { try submit("append", to: session) }
      #expect(lines.values.isEmpty)
      outside.ending.withLock { $0 = "!" }
      try submit("append", to: session)
      let line = try #require(lines.values.first)
      #expect(line["pointer"] == "/items/0/text")
      #expect(line["version"] == "4")
      #expect(line["remedy"]?.hasPrefix("the JSON of a PlainState has changed") == true)
      let items = try JSONCoder.decode(ListReactor.State.self, from: session.current.json).items
      #expect(items.allSatisfy { $0.text.hasSuffix("!") })
    }
  }

  @Test func `the retained elements are counted, and released with a rejected State`() throws {
    let ledger = Ledger()
    let session = try host(.never, stateLimit: 50_000, ledger: ledger)
      .open("list", "a", for: .ensure)
    for _ in 0..<4 { try submit("append", to: session) }
    // The counted bytes beside the State, which counts twice, and the 2 KiB of the session.
    func retained() -> Int { ledger.used(.states) - 2 * session.current.json.count - 2_048 }
    // 12 bytes of text and 16 of storage per element, at least; a change below a kibibyte is not counted.
    let before = retained()
    #expect(before > 104 * 28 - 1_024)
    try submit("double", to: session)
    #expect(session.current.version == 4)
    try submit("append", to: session)
    #expect(session.current.version == 5)
    #expect(retained() <= before + 1_024)
  }
}
