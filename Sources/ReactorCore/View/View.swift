internal import ReactorStreams

/// Something that shows a reactor's states and sends it actions.
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
/// A view of a server is whatever renders or forwards: a line protocol, a terminal, a test. It may have
/// any superclass; the place for its reactor is in ``reactorSlot``.
///
/// A view is used by one thread at a time.
public protocol View: AnyObject {
  /// What the view shows.
  associatedtype Reactor: ReactorInstance & ReactorProtocol

  /// Holds the subscriptions of ``bind(reactor:)``.
  ///
  /// Each assignment of ``reactor`` puts a new bag here, which ends those of the reactor before.
  var disposeBag: DisposeBag { get set }

  /// The reactor that is shown.
  ///
  /// Assigning one, the same again included, ends the subscriptions of the one before and calls
  /// ``bind(reactor:)``; assigning `nil` only ends them.
  var reactor: Reactor? { get set }

  /// Where the reactor is kept.
  ///
  /// Unless the view declares a slot of its own, the dispose bag has one: then the reactor goes with
  /// the bag, also where a view puts a new bag by itself. One that does so and goes on with the same
  /// reactor declares `let reactorSlot = ReactorSlot()`.
  var reactorSlot: ReactorSlot { get }

  /// Connects the view with a reactor: its events with `reactor.action`, `reactor.state` with what it
  /// shows.
  ///
  /// Called at each assignment of ``reactor``, never directly.
  func bind(reactor: Reactor)
}

/// ReactorKit 3's name of ``View``.
public typealias ReactorView = View

extension View {
  /// The reactor that is shown.
  public var reactor: Reactor? {
    get { reactorSlot.reactor as? Reactor }
    set {
      replaceReactor(by: newValue)
      if let newValue { bind(reactor: newValue) }
    }
  }

  /// The slot of the dispose bag.
  public var reactorSlot: ReactorSlot {
    disposeBag.companion { ReactorSlot() }
  }

  /// Keeps a reactor and ends the subscriptions of the one before.
  func replaceReactor(by reactor: Reactor?) {
    disposeBag = DisposeBag()
    reactorSlot.replaceReactor(by: reactor)
  }
}
