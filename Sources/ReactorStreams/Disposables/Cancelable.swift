/// A disposable that says whether it has ended.
public protocol Cancelable: Disposable {
  /// Whether this has ended.
  var isDisposed: Bool { get }
}
