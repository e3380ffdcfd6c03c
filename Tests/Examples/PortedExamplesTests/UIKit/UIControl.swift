import ReactorCore

// Proof: see UIView.
class UIControl: UIView, @unchecked Sendable {
  enum Event {
    case touchUpInside, editingChanged, editingDidEndOnExit
  }

  var isEnabled = true
  var isSelected = false
  let events = PublishSubject<Event>()

  func sendActions(for event: Event) {
    events.onNext(event)
  }

  deinit {
    events.onCompleted()
  }
}

final class UIButton: UIControl, @unchecked Sendable {}  // Proof: see UIView.

final class UITextField: UIControl, @unchecked Sendable {  // Proof: see UIView.
  var text: String?

  func type(_ text: String) {
    self.text = text
    sendActions(for: .editingChanged)
  }
}

extension Reactive where Base: UIControl {
  func controlEvent(_ event: UIControl.Event) -> ControlEvent<Void> {
    ControlEvent(events: base.events.filter { $0 == event }.map { _ in })
  }
}

extension Reactive where Base: UIButton {
  var tap: ControlEvent<Void> {
    controlEvent(.touchUpInside)
  }
}

extension Reactive where Base: UITextField {
  var text: ControlProperty<String?> {
    ControlProperty(
      values: base.events.filter { $0 == .editingChanged }.map { [weak base] _ in base?.text }
        .startWith(base.text),
      valueSink: Binder(base) { field, text in field.text = text })
  }
}
