// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of RxSwift that RxBridge.swift uses. A test compiles it as the module RxSwift.

public protocol Disposable { func dispose() }

public enum Disposables {
  private final class Action: Disposable {
    let action: () -> Void
    init(_ action: @escaping () -> Void) { self.action = action }
    func dispose() { action() }
  }

  public static func create(with dispose: @escaping () -> Void) -> any Disposable {
    Action(dispose)
  }
}

public struct AnyObserver<Element> {
  let next: (Element) -> Void
  let error: (any Error) -> Void
  let completed: () -> Void
  public func onNext(_ element: Element) { next(element) }
  public func onError(_ error: any Error) { self.error(error) }
  public func onCompleted() { completed() }
}

public protocol ObservableConvertibleType {
  associatedtype Element
  func asObservable() -> Observable<Element>
}

public final class Observable<Element>: ObservableConvertibleType {
  let subscribe: (AnyObserver<Element>) -> any Disposable
  init(_ subscribe: @escaping (AnyObserver<Element>) -> any Disposable) {
    self.subscribe = subscribe
  }
  public static func create(_ subscribe: @escaping (AnyObserver<Element>) -> any Disposable)
    -> Observable
  {
    Observable(subscribe)
  }

  public func asObservable() -> Observable<Element> { self }

  public func subscribe(
    onNext: ((Element) -> Void)? = nil, onError: ((any Error) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      AnyObserver(
        next: { onNext?($0) }, error: { onError?($0) }, completed: { onCompleted?() }))
  }
}
