/// A value that is there seldom: until it is, it takes the room of a pointer, however large it is.
///
/// There are a hundred thousand sessions, and of each of them a few of these.
@propertyWrapper
enum Seldom<Value> {
  case absent
  indirect case present(Value)

  init(wrappedValue: Value?) {
    self = wrappedValue.map { .present($0) } ?? .absent
  }

  var wrappedValue: Value? {
    get {
      switch self {
      case .absent: nil
      case .present(let value): value
      }
    }
    set { self = Seldom(wrappedValue: newValue) }
  }
}

extension Seldom: Sendable where Value: Sendable {}
