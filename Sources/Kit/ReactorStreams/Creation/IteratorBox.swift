internal import Synchronization

/// The iterator of a sequence, shared by the closures of one subscription.
final class IteratorBox<Source: Sequence & Sendable>: IteratorProtocol, Sendable
where Source.Element: Sendable {
  private let source: Source
  private let iterator = Mutex<Source.Iterator?>(nil)

  init(_ source: Source) {
    self.source = source
  }

  func next() -> Source.Element? {
    iterator.withLock { iterator in
      if iterator == nil { iterator = source.makeIterator() }
      return iterator?.next()
    }
  }
}
