public import ReactorStreams
public import Synchronization

/// One of the three streams that a reactor may transform: what goes in, and what comes out.
@usableFromInline
final class Stage<Element: Sendable> {
  private let input: Broadcaster<Element>
  private let transform: (Observable<Element>) -> Observable<Element>
  private let output: @Sendable (Event<Element>) -> Void
  private let subscription = SerialDisposable()
  private var assembled: Observable<Element>?

  /// Whether the reactor left the stream as it is, so that what goes in need not be sent at all.
  @usableFromInline
  private(set) var passesThrough = false

  /// Whether the stream has failed and was not replaced: the next element does it.
  ///
  /// A stream that fails whenever it is subscribed to thereby fails once an element, not in an
  /// endless loop.
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

  /// Asks the reactor for its stream.
  ///
  /// - Parameters:
  ///   - first: Asks now.
  ///   - later: Asks again when the stream has failed.
  ///   - output: Receives what leaves the stream.
  /// - Returns: The stage; `nil` where the reactor left the stream as it is, which then costs
  ///   nothing.
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

  /// Asks the reactor for its stream once more.
  private func assemble() {
    let input = input
    let source = Observable<Element> { input.subscribe($0) }
    let assembled = transform(source)
    passesThrough = assembled === source
    self.assembled = assembled
  }

  /// Subscribes to the reactor's stream.
  @usableFromInline
  func connect() {
    isDown = false
    hasSentSinceConnecting = false
    guard !passesThrough, let assembled else { return }
    subscription.disposable = assembled.subscribe(AnyObserver(eventHandler: output))
  }

  /// Sends an element in.
  @usableFromInline
  func send(_ element: Element) {
    if isDown {
      assemble()
      connect()
    } else {
      hasSentSinceConnecting = true
    }
    if passesThrough {
      output(.next(element))
    } else {
      input.send(.next(element))
    }
  }

  /// Replaces a stream that has failed by a new one of the reactor's making.
  func recover() {
    guard hasSentSinceConnecting else {
      isDown = true
      return
    }
    assemble()
    connect()
  }

  /// Says that no element follows.
  func complete() {
    if passesThrough {
      output(.completed)
    } else {
      input.send(.completed)
    }
  }

  /// Ends the subscription.
  func disconnect() {
    subscription.dispose()
  }
}

/// Where elements enter a stage, made when somebody first subscribes to it or sends one: most
/// reactors leave most of their streams as they are.
///
/// It does not know the type of the elements, which would be looked up when it is made and when it
/// goes, three times a session. Everybody asks for the same one.
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
