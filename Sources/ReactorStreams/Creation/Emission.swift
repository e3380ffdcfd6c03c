// Proof: one thread creates the emission, schedules it on its own trampoline, and executes its steps
// there, so only that thread accesses the iterator and the observer. Any thread may set the flag.
/// Emits the elements of an iterator to one observer, one per step of the thread's trampoline.
///
/// While no other job waits, the steps follow each other in a loop.
final class Emission<Elements: IteratorProtocol>: Disposable, TrampolineJob, @unchecked Sendable
where Elements.Element: Sendable {
  private var elements: Elements
  private var observer: (any ObserverType<Elements.Element>)?
  private let isDisposed = AtomicFlag()

  init(_ elements: Elements, to observer: any ObserverType<Elements.Element>) {
    self.elements = elements
    self.observer = observer
  }

  func run() {
    let trampoline = Trampoline.ofCurrentThread
    repeat {
      guard !isDisposed.isSet, let observer else { return release() }
      guard let element = elements.next() else {
        observer.on(.completed)
        return release()
      }
      observer.on(.next(element))
    } while trampoline.isEmpty
    trampoline.schedule(self)
  }

  func dispose() {
    isDisposed.set()
  }

  private func release() {
    observer = nil
  }
}
