import ReactorCore

/// A view without a system's user interface.
public final class OSView {
  /// Creates a view.
  public init() {}
}

/// A view controller, which loads its view at the first access, as that of UIKit does.
open class OSViewController {
  private var loadedView: OSView?

  /// Creates a view controller whose view is not loaded.
  public init() {}

  /// Whether the view is loaded.
  public var isViewLoaded: Bool {
    loadedView != nil
  }

  /// The view.
  public var view: OSView {
    get {
      if loadedView == nil {
        loadView()
        (self as? any DeferredReactorView)?.performBinding()
      }
      return loadedView ?? OSView()
    }
    set { loadedView = newValue }
  }

  /// Creates the view.
  open func loadView() {
    view = OSView()
  }
}
