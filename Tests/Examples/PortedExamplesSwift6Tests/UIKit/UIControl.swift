import ReactorCore
import Synchronization

// The part of UIKit that the examples use, in a form that the compiler checks in Swift 6: the value of
// a control is behind a lock, because a stream may set it on any thread.

final class UILabel: ReactiveCompatible, Sendable {
  private let shown = Mutex<String?>(nil)

  var text: String? {
    get { shown.withLock { $0 } }
    set { shown.withLock { $0 = newValue } }
  }
}

final class UIProgressView: ReactiveCompatible, Sendable {
  private let shown = Mutex<Float>(0)

  var progress: Float {
    get { shown.withLock { $0 } }
    set { shown.withLock { $0 = newValue } }
  }
}

final class UIButton: ReactiveCompatible, Sendable {
  let taps = PublishSubject<Void>()
  private let selected = Mutex(false)

  var isSelected: Bool {
    get { selected.withLock { $0 } }
    set { selected.withLock { $0 = newValue } }
  }
}

final class UITextField: ReactiveCompatible, Sendable {
  let typed = BehaviorRelay<String?>(value: nil)
  let returns = PublishSubject<Void>()

  var text: String? { typed.value }
}

extension Reactive where Base: UIButton {
  var tap: ControlEvent<Void> { ControlEvent(events: base.taps) }
}

extension Reactive where Base: UITextField {
  var text: ControlProperty<String?> {
    ControlProperty(
      values: base.typed,
      valueSink: Binder<String?>(base) { field, text in field.typed.accept(text) })
  }

  var didReturn: ControlEvent<Void> { ControlEvent(events: base.returns) }
}
