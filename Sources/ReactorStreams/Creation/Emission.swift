internal import Synchronization

// While no other job waits, the steps follow each other in a loop. The class is generic over the
// element alone: an iterator's type would be looked up with each step.
//
// Proof: one thread creates the emission, schedules it on its own trampoline, and executes its steps
// there, so only that thread accesses the elements and the observer. Any thread may set the flag.
/// Emits elements to one observer, one per step of the thread's trampoline.
final class Emission<Element: Sendable>: Disposable, TrampolineJob, @unchecked Sendable {
  private let elements: [Element]
  private var position = 0
  /// The elements after those of the array.
  private let next: (() -> Element?)?
  private var observer: (any ObserverType<Element>)?
  private let isDisposed = Atomic<Bool>(false)

  init(
    _ elements: [Element], then next: (() -> Element?)? = nil,
    to observer: any ObserverType<Element>
  ) {
    self.elements = elements
    self.next = next
    self.observer = observer
  }

  func run() {
    let trampoline = Trampoline.ofCurrentThread
    guard let observer else { return }
    repeat {
      guard !isDisposed.load(ordering: .acquiring) else { return release() }
      if position < elements.count {
        position += 1
        observer.on(.next(elements[position - 1]))
      } else if let element = next?() {
        observer.on(.next(element))
      } else {
        observer.on(.completed)
        return release()
      }
    } while trampoline.isEmpty
    trampoline.schedule(self)
  }

  func dispose() {
    isDisposed.store(true, ordering: .releasing)
  }

  private func release() {
    observer = nil
  }
}
