/// The part of an operator that observes one stream.
///
/// A source of known elements needs no subscription: the sink itself is the job that emits them, one
/// per step of the thread's trampoline. While no other job waits, the steps follow each other in a loop.
@usableFromInline
package class SourceSink<Element: Sendable>: TrampolineJob,
  // Proof: one thread attaches a sink to a source, schedules it on its own trampoline, and executes it
  // there, so only that thread accesses the elements and the position.
  @unchecked Sendable
{
  /// The subscription to the source.
  @usableFromInline let upstream = DisposableSlot()

  // Unchecked exclusivity: each access is a load or a store.
  @safe @exclusivity(unchecked) private var elements: [Element] = []
  @safe @exclusivity(unchecked) private var position = 0

  @usableFromInline
  override init() {}

  /// Whether the sink has ended.
  ///
  /// The remaining elements are dropped.
  @usableFromInline
  package var isStopped: Bool {
    upstream.isDisposed
  }

  /// Receives an event of the source.
  @usableFromInline
  package func on(_ event: Event<Element>) {}

  /// Emits elements to this sink after the jobs that are already scheduled.
  final func schedule(_ elements: [Element], from position: Int = 0) {
    self.elements = elements
    self.position = position
    Trampoline.ofCurrentThread.schedule(self)
  }

  @usableFromInline
  package final override func execute() {
    let trampoline = Trampoline.ofCurrentThread
    let elements = elements
    var position = position
    while !isStopped {
      guard position < elements.count else {
        on(.completed)
        break
      }
      on(.next(elements[position]))
      position += 1
      guard trampoline.isEmpty else {
        self.position = position
        return trampoline.schedule(self)
      }
    }
    self.elements = []
  }
}
