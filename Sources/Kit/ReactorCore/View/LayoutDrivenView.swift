internal import ReactorStreams

/// A view whose properties only request a layout pass, and whose pass applies all of them.
///
/// ```swift
/// final class CardView: LayoutDrivenView {
///   let layoutPass = LayoutPass()
///   let textLabel = UILabel()
///
///   var text = "" { didSet { setNeedsLayout() } }
///   var fontSize = 14.0 { didSet { setNeedsLayout() } }
///
///   func updateLayout() {
///     textLabel.text = text
///     textLabel.fontSize = fontSize
///   }
/// }
/// ```
///
/// All requests during a turn of the serial context cause one pass, at the end of the turn. Outside
/// of a turn, a request runs a pass immediately. Each pass updates the parts of the view in the
/// same order, from the latest values of the properties.
///
/// A view is used by one thread at a time. It can be a ``View`` of a reactor as well.
public protocol LayoutDrivenView: AnyObject {
  /// The state of the layout: `let layoutPass = LayoutPass()`.
  var layoutPass: LayoutPass { get }

  /// Creates the parts that the passes update. Called once, before the first pass.
  func initializeView()

  /// Applies all properties to the view. Call ``setNeedsLayout()`` instead of this.
  ///
  /// A pass that is requested during a pass runs in the next turn or, outside of a turn, with the
  /// next request. After 60 consecutive passes that each requested the next pass, requests from
  /// within a pass are ignored until there is a request from outside of a pass.
  func updateLayout()
}

/// The state of the layout of a ``LayoutDrivenView``, used by the view's thread.
public final class LayoutPass {
  /// The maximum number of consecutive passes that each request the next pass.
  static let selfRequestBound = 60

  fileprivate var isInitialized = false
  fileprivate var isRequested = false
  fileprivate var isRunning = false
  fileprivate var isScheduled = false
  /// The number of consecutive passes that each requested the next pass.
  fileprivate var selfRequests = 0

  /// Creates the state of a view that has not been laid out.
  public init() {}
}

extension LayoutDrivenView {
  /// Does nothing.
  public func initializeView() {}

  /// Requests a pass at the end of the turn.
  ///
  /// Outside of a turn, the pass runs immediately.
  public func setNeedsLayout() {
    let pass = layoutPass
    let context = CurrentSerialContext.orShared
    if pass.isRunning {
      guard pass.selfRequests < LayoutPass.selfRequestBound else { return }
      pass.isRequested = true
      if context.isCurrent { schedule(in: context) }
      return
    }
    pass.selfRequests = 0
    pass.isRequested = true
    guard context.isCurrent else { return layoutIfNeeded() }
    schedule(in: context)
  }

  /// Runs a requested pass immediately; does nothing if none is requested.
  public func layoutIfNeeded() {
    let pass = layoutPass
    guard pass.isRequested, !pass.isRunning else { return }
    pass.isRequested = false
    pass.isRunning = true
    if !pass.isInitialized {
      pass.isInitialized = true
      initializeView()
    }
    updateLayout()
    pass.isRunning = false
    pass.selfRequests = pass.isRequested ? pass.selfRequests + 1 : 0
  }

  private func schedule(in context: any SerialContext) {
    let pass = layoutPass
    guard !pass.isScheduled else { return }
    pass.isScheduled = true
    // Proof: a view is used by one thread at a time, and the closure runs in a later turn of the
    // context that uses it now.
    nonisolated(unsafe) let view: any LayoutDrivenView = self
    context.enqueue {
      unsafe view.layoutPass.isScheduled = false
      unsafe view.layoutIfNeeded()
    }
  }
}
