import ReactorCore

// As much of UIKit as the examples touch, so that they can stand here as they stand in an app. UIKit's
// classes are bound to the main thread; these are, by the tests, to one thread each.

// Proof: each test makes its views and uses them on its own thread.
class UIView: ReactiveCompatible, @unchecked Sendable {
  var isHidden = false
}

final class UILabel: UIView, @unchecked Sendable {  // Proof: as above.
  var text: String?
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
