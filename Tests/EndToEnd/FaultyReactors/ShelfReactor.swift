import ReactorCore

/// A reactor whose State has sets, and dictionaries with keys of any type.
final class ShelfReactor: Reactor {
  enum Genre: String, Codable, Sendable { case novel, poetry, science }

  struct Book: Codable, Hashable, Sendable {
    var title: String
    var year: Int?
  }

  enum Action: Codable, Sendable {
    case tag(Set<String>)
    case untag(String)
    case put(Book, Genre)
    case remove(Book)
  }

  enum Mutation: Codable, Sendable {
    case tagged(Set<String>)
    case untagged(String)
    case put([Genre: Set<Book>])
    case removed(Book)
  }

  struct State: Codable, Sendable {
    var tags: Set<String> = ["new", "old", "lent", "lost"]
    var books: [Genre: Set<Book>] = [:]
    var readers: [Book: [Genre: Int]] = [:]
    var last: Set<Book>?
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .tag(let tags): .just(.tagged(tags))
    case .untag(let tag): .just(.untagged(tag))
    case .put(let book, let genre): .just(.put([genre: [book]]))
    case .remove(let book): .just(.removed(book))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .tagged(let tags): state.tags.formUnion(tags)
    case .untagged(let tag): state.tags.remove(tag)
    case .put(let books):
      for (genre, books) in books {
        state.books[genre, default: []].formUnion(books)
        for book in books { state.readers[book, default: [:]][genre, default: 0] += 1 }
        state.last = books
      }
    case .removed(let book):
      for genre in state.books.keys { state.books[genre]?.remove(book) }
      state.readers[book] = nil
      state.last = nil
    }
    return state
  }
}
