import ReactorCore

// Proof: see UIView.
class UIViewController: @unchecked Sendable {
  private(set) var isViewLoaded = false

  func loadViewIfNeeded() {
    guard !isViewLoaded else { return }
    isViewLoaded = true
    viewDidLoad()
    // Where ReactorKit swizzles `viewDidLoad`.
    (self as? any StoryboardView)?.performBinding()
  }

  func viewDidLoad() {}
}
