/// A value whose mutating methods can be called within `#expect`, which evaluates its operands as
/// constants.
final class Subject<Value> {
  private var value: Value

  init(_ value: Value) {
    self.value = value
  }

  func callAsFunction<Result>(_ body: (inout Value) -> Result) -> Result {
    body(&value)
  }
}
