internal import Synchronization

// Proof: the property is a constant that is safe to share.
/// Emits the elements of an array to one observer.
final class Emission<Element: Sendable>: SourceSink<Element>, Disposable, @unchecked Sendable {
  private let observer: any ObserverType<Element>

  init(to observer: any ObserverType<Element>) {
    self.observer = observer
  }

  override func on(_ event: Event<Element>) {
    observer.on(event)
  }

  func dispose() {
    upstream.dispose()
  }
}

// Proof: one thread creates an emission, schedules it on its own trampoline, and executes its steps
// there, so only that thread accesses the properties. Any thread may set the flag.
/// Emits the elements that a closure returns, until it returns `nil`, like an ``Emission``.
final class GeneratedEmission<Element: Sendable>: TrampolineJob, Disposable, @unchecked Sendable {
  private let next: () -> Element?
  private var observer: (any ObserverType<Element>)?
  private let isDisposed = Atomic<Bool>(false)

  init(next: @escaping () -> Element?, to observer: any ObserverType<Element>) {
    self.next = next
    self.observer = observer
  }

  override func execute() {
    guard let observer else { return }
    let trampoline = Trampoline.ofCurrentThread
    while !isDisposed.load(ordering: .acquiring) {
      guard let element = next() else {
        observer.on(.completed)
        break
      }
      observer.on(.next(element))
      guard trampoline.isEmpty else { return trampoline.schedule(self) }
    }
    self.observer = nil
  }

  func dispose() {
    isDisposed.store(true, ordering: .releasing)
  }
}
