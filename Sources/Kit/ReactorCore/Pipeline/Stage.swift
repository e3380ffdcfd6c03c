public import ReactorStreams
public import Synchronization

/// A serial context that distinguishes the values with which a reactor's streams begin from later ones.
package protocol JoiningContext: SerialContext {
  /// Connects streams again after a failure.
  func joining(_ connect: () -> Void)
}

/// One of the three streams that a reactor can transform: its input and its output.
@usableFromInline
final class Stage<Element: Sendable> {
  private let input: Broadcaster<Element>
  private let transform: (Observable<Element>) -> Observable<Element>
  private let output: @Sendable (Event<Element>) -> Void
  private let subscription = SerialDisposable()
  private var assembled: Observable<Element>?

  /// Whether the reactor returned its input, so that elements bypass the stream.
  @usableFromInline
  private(set) var passesThrough = false

  /// Whether the stream has failed.
  ///
  /// The next element replaces the stream. A stream that fails at each subscription therefore fails
  /// once per element instead of in an endless loop.
  private var isDown = false
  private var hasSentSinceConnecting = false

  @usableFromInline
  init(
    _ assembled: Observable<Element>, of input: StageInput,
    transform: @escaping (Observable<Element>) -> Observable<Element>,
    output: @escaping @Sendable (Event<Element>) -> Void
  ) {
    self.assembled = assembled
    self.input = input.broadcaster()
    self.transform = transform
    self.output = output
  }

  /// Creates the stage of a transform.
  ///
  /// - Parameters:
  ///   - first: The transform, called now.
  ///   - later: The transform, called again after the stream has failed.
  ///   - output: Receives the events of the stream.
  /// - Returns: The stage, or `nil` if the transform returned its input.
  @inlinable
  static func assembled(
    _ first: (Observable<Element>) -> Observable<Element>,
    later: @autoclosure () -> (Observable<Element>) -> Observable<Element>,
    output: @autoclosure () -> @Sendable (Event<Element>) -> Void
  ) -> Stage? {
    let input = StageInput()
    let source = Observable<Element> { input.broadcaster().subscribe($0) }
    let assembled = first(source)
    guard assembled !== source else { return nil }
    return Stage(assembled, of: input, transform: later(), output: output())
  }

  /// Calls the transform again, after its stream has failed.
  private func assemble() {
    let input = input
    let source = Observable<Element> { input.subscribe($0) }
    let assembled = transform(source)
    passesThrough = assembled === source
    self.assembled = assembled
  }

  /// Subscribes to the stream.
  @usableFromInline
  func connect() {
    isDown = false
    hasSentSinceConnecting = false
    guard !passesThrough, let assembled else { return }
    subscription.disposable = assembled.attach(AnyObserver(eventHandler: output))
  }

  /// Sends an element to the input.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - context: The serial context in which a stream that has failed is replaced.
  @usableFromInline
  func send(_ element: Element, in context: @autoclosure () -> (any SerialContext)?) {
    if isDown, let context = context() {
      reconnect(in: context)
    } else {
      hasSentSinceConnecting = true
    }
    if passesThrough {
      output(.next(element))
    } else {
      Trampoline.isolated { input.send(.next(element)) }
    }
  }

  /// Replaces a stream that has failed.
  func recover(in context: any SerialContext) {
    guard hasSentSinceConnecting else {
      isDown = true
      return
    }
    reconnect(in: context)
  }

  private func reconnect(in context: any SerialContext) {
    // End the observations of the failed stream first: the new ones have the same marks then.
    subscription.disposable = Disposables.create()
    let connects = {
      CurrentSerialContext.gatheringEvents(in: context) { [self] in
        assemble()
        connect()
      }
    }
    if let context = context as? any JoiningContext {
      context.joining(connects)
    } else {
      connects()
    }
  }

  /// Completes the input.
  func complete() {
    if passesThrough {
      output(.completed)
    } else {
      input.send(.completed)
    }
  }

  /// Cancels the subscription.
  func disconnect() {
    subscription.dispose()
  }
}

/// The input of a stage, created at the first subscription or element: most reactors transform few of
/// their streams.
///
/// Not generic, since metadata of a generic type would be looked up at its creation and
/// deinitialization, three times per session. All callers use the same element type.
@usableFromInline
final class StageInput: Sendable {
  @usableFromInline let made = Mutex<(any Sendable & AnyObject)?>(nil)

  @inlinable
  init() {}

  @usableFromInline
  func broadcaster<Element>() -> Broadcaster<Element> {
    made.withLock { made in
      if let broadcaster = made as? Broadcaster<Element> { return broadcaster }
      let broadcaster = Broadcaster<Element>(replay: 0)
      made = broadcaster
      return broadcaster
    }
  }
}
