/// An optional that is stored out of line: one pointer while it is `nil`.
///
/// For values that few sessions have, since a host may hold hundreds of thousands of sessions.
@propertyWrapper
enum Boxed<Value> {
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
    set { self = Boxed(wrappedValue: newValue) }
  }
}

extension Boxed: Sendable where Value: Sendable {}
