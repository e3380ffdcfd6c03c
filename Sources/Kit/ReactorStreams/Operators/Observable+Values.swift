/// The treatment of elements that arrive faster than an asynchronous sequence is read.
public enum ValueBuffering: Hashable, Sendable {
  /// Stores the newest elements, at least 1, and drops the oldest of them for another one.
  ///
  /// `newest(1)` is for values that replace each other, such as the states of a reactor.
  case newest(Int)

  /// Stores up to this number of elements, at least 1.
  ///
  /// A further element ends the subscription: the iteration returns the stored elements, and then throws
  /// ``RxError/overflow``.
  case bounded(Int)

  /// Stores all elements. The memory grows with each element that is not read.
  case unbounded
}

extension ObservableConvertibleType {
  /// This stream as an asynchronous sequence.
  ///
  /// The subscription starts when the property is read, and ends with the iteration. The iteration
  /// throws the stream's error, or `CancellationError` if its task is canceled. Elements that arrive
  /// faster than they are read are stored, without a limit; ``values(buffering:)`` has one.
  public var values: AsyncThrowingStream<Element, any Error> {
    values(buffering: .unbounded)
  }

  /// Returns this stream as an asynchronous sequence.
  ///
  /// ```swift
  /// for try await state in reactor.state.values(buffering: .newest(1)) { show(state) }
  /// ```
  ///
  /// - Parameter buffering: The treatment of elements that arrive faster than they are read.
  /// - Returns: The sequence. Its subscription starts with this call, and ends with the iteration. The
  ///   iteration throws the stream's error, `CancellationError` if its task is canceled, and
  ///   ``RxError/overflow`` as of ``ValueBuffering/bounded(_:)``.
  public func values(buffering: ValueBuffering) -> AsyncThrowingStream<Element, any Error> {
    let policy: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy =
      switch buffering {
      case .newest(let count): .bufferingNewest(max(1, count))
      case .bounded(let count): .bufferingOldest(max(1, count))
      case .unbounded: .unbounded
      }
    let mayDrop = if case .newest = buffering { true } else { false }
    return AsyncThrowingStream(bufferingPolicy: policy) { continuation in
      let reading: Observable<Never> = asObservable().lift { element, _ in
        if case .dropped = continuation.yield(element), !mayDrop { throw RxError.overflow }
      }
      let subscription = reading.subscribe(
        onError: { continuation.finish(throwing: $0) },
        onCompleted: { continuation.finish() },
        onDisposed: { continuation.finish(throwing: CancellationError()) })
      continuation.onTermination = { _ in subscription.dispose() }
    }
  }
}

extension ObservableConvertibleType {
  /// A stream that never fails as an asynchronous sequence, which never throws.
  package var infallibleValues: AsyncStream<Element> {
    AsyncStream { continuation in
      let subscription = asObservable().subscribe(
        onNext: { continuation.yield($0) },
        onDisposed: { continuation.finish() })
      continuation.onTermination = { _ in subscription.dispose() }
    }
  }
}

extension SharedSequenceConvertibleType {
  /// This sequence as an asynchronous sequence, which never throws.
  ///
  /// The subscription starts when the property is read, and ends with the iteration. Elements that arrive
  /// faster than they are read are stored, without a limit; `values(buffering:)` has one.
  public var values: AsyncStream<Element> {
    infallibleValues
  }
}
