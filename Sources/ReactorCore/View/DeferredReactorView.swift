/// A ``View`` whose parts exist only after it has loaded, so that its reactor is bound then.
///
/// Where an app has a storyboard and swizzles `viewDidLoad`, the view here says so itself: it calls
/// ``performBinding()`` when it has loaded.
///
/// ```swift
/// final class SettingsView: DeferredReactorView {
///   var disposeBag = DisposeBag()
///   private(set) var isViewLoaded = false
///
///   func load() {
///     isViewLoaded = true
///     performBinding()
///   }
///
///   func bind(reactor: SettingsReactor) { … }
/// }
/// ```
public protocol DeferredReactorView: View {
  /// Whether the parts that ``View/bind(reactor:)`` touches exist.
  var isViewLoaded: Bool { get }

  /// Binds the reactor, once for each assignment, if there is one and the view has loaded.
  func performBinding()
}

/// ReactorKit 3's name of ``DeferredReactorView``.
public typealias StoryboardView = DeferredReactorView

extension DeferredReactorView {
  /// The reactor that is shown, from when the view has loaded.
  public var reactor: Reactor? {
    get { reactorSlot.reactor as? Reactor }
    set {
      replaceReactor(by: newValue)
      performBinding()
    }
  }

  /// Binds the reactor, once for each assignment, if there is one and the view has loaded.
  public func performBinding() {
    guard isViewLoaded, let reactor, reactorSlot.beginBinding() else { return }
    bind(reactor: reactor)
  }
}
