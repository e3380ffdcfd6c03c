@_exported import ReactorTesting
import RxSwift

extension ObservableConvertibleType {
  /// Returns blocking accessors of this stream, with a limit in seconds.
  public func toBlocking(timeout seconds: Double) -> BlockingObservable<Element> {
    toBlocking(timeout: .seconds(seconds))
  }
}
