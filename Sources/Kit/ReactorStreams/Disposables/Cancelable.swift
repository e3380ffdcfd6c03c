/// A disposable with a record of its disposal.
public protocol Cancelable: Disposable {
  /// Whether this was disposed of.
  var isDisposed: Bool { get }
}
