#if canImport(UIKit)
  public import ReactorCore
  public import UIKit

  /// `button.rx.tap` and the properties of the other views.
  extension NSObject: @retroactive ReactiveCompatible {}

  extension UIControl {
    /// Calls a closure at events, until the returned one is called.
    fileprivate func call(
      at events: UIControl.Event, _ handle: @escaping @MainActor () -> Void
    ) -> @MainActor () -> Void {
      let action = UIAction { _ in handle() }
      addAction(action, for: events)
      return { [weak self, weak action] in
        if let action { self?.removeAction(action, for: events) }
      }
    }
  }

  extension Reactive where Base: UIControl {
    /// The events of a control.
    public func controlEvent(_ events: UIControl.Event) -> ControlEvent<Void> {
      ControlEvent(events: changes(events))
    }

    /// Whether the control is enabled.
    public var isEnabled: Binder<Bool> { Binder(onMain: base) { $0.isEnabled = $1 } }

    private func changes(_ events: UIControl.Event) -> Observable<Void> {
      .events(of: base) { control, observer in
        control.call(at: events) { observer.onNext(()) }
      }
    }

    /// A property that a user changes.
    fileprivate func property<Value: Sendable>(
      changedBy events: UIControl.Event, get: @escaping @MainActor @Sendable (Base) -> Value,
      set: @escaping @MainActor @Sendable (Base, Value) -> Void
    ) -> ControlProperty<Value> {
      let values = Observable<Value>.events(of: base) { control, observer in
        observer.onNext(get(control))
        return control.call(at: events) { [weak control] in
          if let control { observer.onNext(get(control)) }
        }
      }
      return ControlProperty(values: values, valueSink: Binder(onMain: base, set))
    }
  }

  extension Reactive where Base: UIButton {
    /// The taps.
    public var tap: ControlEvent<Void> { controlEvent(.touchUpInside) }

    /// The title of a state.
    public func title(for state: UIControl.State = .normal) -> Binder<String?> {
      Binder(onMain: base) { $0.setTitle($1, for: state) }
    }
  }

  extension Reactive where Base: UIBarButtonItem {
    /// The taps.
    ///
    /// The subscription replaces the primary action of the item.
    public var tap: ControlEvent<Void> {
      ControlEvent(
        events: Observable<Void>.events(of: base) { item, observer in
          item.primaryAction = UIAction(title: item.title ?? "", image: item.image) { _ in
            observer.onNext(())
          }
          return { [weak item] in item?.primaryAction = nil }
        })
    }
  }

  extension Reactive where Base: UIBarItem {
    /// Whether the item is enabled.
    public var isEnabled: Binder<Bool> { Binder(onMain: base) { $0.isEnabled = $1 } }
  }

  extension Reactive where Base: UITextField {
    /// The text.
    public var text: ControlProperty<String?> {
      property(
        changedBy: [.allEditingEvents, .valueChanged], get: { $0.text }, set: { $0.text = $1 })
    }
  }

  extension Reactive where Base: UISearchBar {
    /// The text.
    @MainActor public var text: ControlProperty<String?> { base.searchTextField.rx.text }
  }

  extension Reactive where Base: UISwitch {
    /// Whether the switch is on.
    public var isOn: ControlProperty<Bool> {
      property(changedBy: .valueChanged, get: { $0.isOn }, set: { $0.isOn = $1 })
    }
  }

  extension Reactive where Base: UISlider {
    /// The value.
    public var value: ControlProperty<Float> {
      property(changedBy: .valueChanged, get: { $0.value }, set: { $0.value = $1 })
    }
  }

  extension Reactive where Base: UIStepper {
    /// The value.
    public var value: ControlProperty<Double> {
      property(changedBy: .valueChanged, get: { $0.value }, set: { $0.value = $1 })
    }
  }

  extension Reactive where Base: UISegmentedControl {
    /// The index of the selected segment.
    public var selectedSegmentIndex: ControlProperty<Int> {
      property(
        changedBy: .valueChanged, get: { $0.selectedSegmentIndex },
        set: { $0.selectedSegmentIndex = $1 })
    }
  }

  extension Reactive where Base: UIDatePicker {
    /// The date.
    public var date: ControlProperty<Date> {
      property(changedBy: .valueChanged, get: { $0.date }, set: { $0.date = $1 })
    }
  }

  extension Reactive where Base: UIRefreshControl {
    /// Begins or ends the refresh.
    ///
    /// The user's pull is the event `.valueChanged`.
    public var isRefreshing: Binder<Bool> {
      Binder(onMain: base) { $1 ? $0.beginRefreshing() : $0.endRefreshing() }
    }
  }

  extension Reactive where Base: UIActivityIndicatorView {
    /// Starts or stops the animation.
    public var isAnimating: Binder<Bool> {
      Binder(onMain: base) { $1 ? $0.startAnimating() : $0.stopAnimating() }
    }
  }

  extension Reactive where Base: UIProgressView {
    /// The progress.
    public var progress: Binder<Float> { Binder(onMain: base) { $0.progress = $1 } }
  }

  extension Reactive where Base: UILabel {
    /// The text.
    public var text: Binder<String?> { Binder(onMain: base) { $0.text = $1 } }
  }

  extension Reactive where Base: UIImageView {
    /// The image.
    public var image: Binder<UIImage?> { Binder(onMain: base) { $0.image = $1 } }
  }

  extension Reactive where Base: UIView {
    /// Whether the view is hidden.
    public var isHidden: Binder<Bool> { Binder(onMain: base) { $0.isHidden = $1 } }
  }

  extension Reactive where Base: UIViewController {
    /// The title.
    public var title: Binder<String?> { Binder(onMain: base) { $0.title = $1 } }
  }

  extension Reactive where Base: UINavigationItem {
    /// The title.
    public var title: Binder<String?> { Binder(onMain: base) { $0.title = $1 } }
  }
#endif
