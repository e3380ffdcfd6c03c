internal import Synchronization

// While no other job waits, the steps of an emission follow each other in a loop. The classes are
// generic over the element alone: an iterator's type would be looked up with each step.
//
// Proof: one thread creates an emission, schedules it on its own trampoline, and executes its steps
// there, so only that thread accesses the properties. Any thread may set the flag.
/// Emits the elements of an array to one observer, one per step of the thread's trampoline.
final class Emission<Element: Sendable>: Disposable, TrampolineJob, @unchecked Sendable {
  private let elements: [Element]
  private var position = 0
  private var observer: (any ObserverType<Element>)?
  private let isDisposed = Atomic<Bool>(false)

  init(_ elements: [Element], to observer: any ObserverType<Element>) {
    self.elements = elements
    self.observer = observer
  }

  func run() {
    guard let observer else { return }
    let trampoline = Trampoline.ofCurrentThread
    let elements = elements
    var position = position
    while !isDisposed.load(ordering: .acquiring) {
      guard position < elements.count else {
        observer.on(.completed)
        break
      }
      observer.on(.next(elements[position]))
      position += 1
      guard trampoline.isEmpty else {
        self.position = position
        return trampoline.schedule(self)
      }
    }
    self.observer = nil
  }

  func dispose() {
    isDisposed.store(true, ordering: .releasing)
  }
}

// Proof: as that of `Emission`.
/// Emits the elements that a closure returns, until it returns `nil`, like an ``Emission``.
final class GeneratedEmission<Element: Sendable>: Disposable, TrampolineJob, @unchecked Sendable {
  private let next: () -> Element?
  private var observer: (any ObserverType<Element>)?
  private let isDisposed = Atomic<Bool>(false)

  init(next: @escaping () -> Element?, to observer: any ObserverType<Element>) {
    self.next = next
    self.observer = observer
  }

  func run() {
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
