import ReactorCore

// Proof: see UIView.
class UIViewController: @unchecked Sendable {
  private(set) var isViewLoaded = false

  func loadViewIfNeeded() {
    guard !isViewLoaded else { return }
    isViewLoaded = true
    viewDidLoad()
    // ReactorKit swizzles `viewDidLoad` here.
    (self as? any StoryboardView)?.performBinding()
  }

  func viewDidLoad() {}
}
