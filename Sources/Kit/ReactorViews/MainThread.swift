#if canImport(UIKit)
  internal import Dispatch
  internal import ReactorCore
  internal import Synchronization
  internal import UIKit

  /// Calls closures on the main thread in the order of the calls: immediately there, unless earlier ones wait.
  final class MainThread: Sendable {
    private let waiting = Atomic(0)

    func run(_ work: @escaping @MainActor @Sendable () -> Void) {
      if Thread.isMainThread, waiting.load(ordering: .acquiring) == 0 {
        return MainActor.assumeIsolated(work)
      }
      waiting.add(1, ordering: .acquiringAndReleasing)
      DispatchQueue.main.async { [self] in
        waiting.subtract(1, ordering: .acquiringAndReleasing)
        MainActor.assumeIsolated(work)
      }
    }
  }

  /// The observer of a view, registered until the subscription or the view ends.
  @MainActor
  private final class Registration {
    var remove: (@MainActor () -> Void)?

    nonisolated init() {}
  }

  /// Completes an observer when the view that holds it is released.
  final class ViewObserver<Element: Sendable>: Sendable {
    private let observer: AnyObserver<Element>

    fileprivate init(_ observer: AnyObserver<Element>) { self.observer = observer }

    deinit { observer.onCompleted() }

    func onNext(_ element: Element) { observer.onNext(element) }
  }

  extension Observable {
    /// A stream of what happens at a view, which is observed on the main thread.
    ///
    /// `observe` lets the view hold the observer, and returns the closure that takes it back.
    static func events<View: AnyObject & Sendable>(
      of view: View,
      _ observe:
        @escaping @MainActor @Sendable (View, ViewObserver<Element>) -> @MainActor () -> Void
    ) -> Observable<Element> {
      .create { [weak view] observer in
        let (thread, registration) = (MainThread(), Registration())
        thread.run {
          let observer = ViewObserver(observer)
          if let view { registration.remove = observe(view, observer) }
        }
        return Disposables.create {
          thread.run {
            registration.remove?()
            registration.remove = nil
          }
        }
      }
    }
  }

  extension Binder {
    /// A binder that sets a property on the main thread.
    init<View: AnyObject & Sendable>(
      onMain view: View, _ set: @escaping @MainActor @Sendable (View, Value) -> Void
    ) {
      let thread = MainThread()
      self.init(view) { view, value in thread.run { set(view, value) } }
    }
  }
#endif
