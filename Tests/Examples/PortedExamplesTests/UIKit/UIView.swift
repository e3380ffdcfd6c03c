import ReactorCore

// The part of UIKit that the examples use, so that they compile unchanged. UIKit's classes are bound to
// the main thread; the tests bind these to one thread each.

// Proof: each test creates its views and uses them on one thread.
class UIView: ReactiveCompatible, @unchecked Sendable {
  var isHidden = false
}

final class UILabel: UIView, @unchecked Sendable {  // Proof: as above.
  var text: String?
  var fontSize = 17.0
}

final class UIProgressView: UIView, @unchecked Sendable {  // Proof: as above.
  var progress: Float = 0
}

final class UIActivityIndicatorView: UIView, @unchecked Sendable {  // Proof: as above.
  var isAnimating = false
}

extension Reactive where Base: UILabel {
  var text: Binder<String?> {
    Binder(base) { label, text in label.text = text }
  }
}
