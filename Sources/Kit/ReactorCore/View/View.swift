internal import ReactorStreams

/// A type that shows a reactor's states and sends it actions.
///
/// ```swift
/// class ProfileViewController: UIViewController, View {
///   var disposeBag = DisposeBag()
///
///   func bind(reactor: ProfileViewReactor) {
///     refreshButton.rx.tap.map { Reactor.Action.refresh }
///       .bind(to: reactor.action)
///       .disposed(by: disposeBag)
///   }
/// }
///
/// viewController.reactor = ProfileViewReactor()
/// ```
///
/// On a server, a view is any type that renders or forwards states: a line protocol, a terminal, a
/// test. It can have any superclass; ``reactorSlot`` stores its reactor.
///
/// A view is used by one thread at a time.
public protocol View: AnyObject {
  /// The type of its reactor.
  associatedtype Reactor: ReactorInstance & ReactorProtocol

  /// The subscriptions of ``bind(reactor:)``.
  ///
  /// Each assignment of ``reactor`` replaces the bag, which cancels the subscriptions to the previous
  /// reactor.
  var disposeBag: DisposeBag { get set }

  /// The reactor that is shown.
  ///
  /// An assignment cancels the previous subscriptions and calls ``bind(reactor:)``, even if the
  /// reactor is the same. The assignment of `nil` only cancels the subscriptions.
  var reactor: Reactor? { get set }

  /// The storage of the reactor.
  ///
  /// By default the dispose bag contains it, so that the reactor is released with the bag. A view
  /// that replaces its bag but must retain its reactor declares `let reactorSlot = ReactorSlot()`.
  var reactorSlot: ReactorSlot { get }

  /// Subscribes `reactor.action` to the view's events, and the view to `reactor.state`.
  ///
  /// Called with each assignment of ``reactor``; do not call it directly.
  func bind(reactor: Reactor)
}

/// ReactorKit 3's name of ``View``.
public typealias ReactorView = View

extension View {
  /// The reactor that the view shows.
  public var reactor: Reactor? {
    get { reactorSlot.reactor as? Reactor }
    set {
      replaceReactor(by: newValue)
      if let newValue { bind(reactor: newValue) }
    }
  }

  /// The slot that the dispose bag contains.
  public var reactorSlot: ReactorSlot {
    disposeBag.companion { ReactorSlot() }
  }

  /// Stores a reactor and cancels the subscriptions to the previous one.
  func replaceReactor(by reactor: Reactor?) {
    disposeBag = DisposeBag()
    reactorSlot.replaceReactor(by: reactor)
  }
}
