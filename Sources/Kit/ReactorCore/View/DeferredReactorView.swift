/// A ``View`` whose parts exist only after it has loaded.
///
/// The reactor is bound when the view has loaded: the view calls ``performBinding()`` at that time.
/// An app with a storyboard swizzles `viewDidLoad` to make this call.
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
  /// Whether the parts that ``View/bind(reactor:)`` accesses exist.
  var isViewLoaded: Bool { get }

  /// Binds the reactor, once per assignment, if there is one and the view has loaded.
  func performBinding()
}

/// ReactorKit 3's name of ``DeferredReactorView``.
public typealias StoryboardView = DeferredReactorView

extension DeferredReactorView {
  /// The reactor that the view shows after it has loaded.
  public var reactor: Reactor? {
    get { reactorSlot.reactor as? Reactor }
    set {
      replaceReactor(by: newValue)
      performBinding()
    }
  }

  /// Binds the reactor, once per assignment, if there is one and the view has loaded.
  public func performBinding() {
    guard isViewLoaded, let reactor, reactorSlot.beginBinding() else { return }
    bind(reactor: reactor)
  }
}
