/// A variable with an identity, which tests of RxSwift use.
final class RxMutableBox<Value> {
  var value: Value

  init(_ value: Value) {
    self.value = value
  }
}
