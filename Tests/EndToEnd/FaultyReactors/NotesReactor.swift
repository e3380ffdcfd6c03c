import ReactorCore

/// A list of notes, each of half a kilobyte as JSON, for measurements of large States.
final class NotesReactor: Reactor {
  enum Action: Codable, Sendable {
    /// Appends a number of notes.
    case fill(Int)
    case append(String)
    /// Replaces the text of a note.
    case edit(index: Int, text: String)
    /// Removes the oldest note and appends one.
    case rotate(String)
  }

  typealias Mutation = Action

  struct Note: Codable, Sendable {
    let number: Int
    let author: String
    var text: String
    var tags: [String]
    var isDone: Bool
  }

  struct State: Codable, Sendable, PlainState {
    var notes: [Note] = []
    var next = 0

    mutating func append(_ text: String) {
      notes.append(
        Note(
          number: next, author: "ada", text: text, tags: ["note", "number \(next)"],
          isDone: false))
      next += 1
    }
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> { .just(action) }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .fill(let count):
      for _ in 0..<min(max(0, count), 2_000) {
        state.append(String(repeating: "A note of some words. ", count: 19))
      }
    case .append(let text): state.append(text)
    case .edit(let index, let text) where state.notes.indices.contains(index):
      state.notes[index].text = text
    case .edit: break
    case .rotate(let text):
      if !state.notes.isEmpty { state.notes.removeFirst() }
      state.append(text)
    }
    return state
  }
}
