// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of UIKit that ReactorViews uses, with its isolation, so that the bindings compile and run on Linux. A
// test compiles it as the module UIKit.

@_exported import Foundation

public struct UIImage: Sendable { public init() {} }

@MainActor
public final class UIAction: Sendable {
  let handler: @MainActor @Sendable (UIAction) -> Void

  public init(
    title: String = "", image: UIImage? = nil,
    handler: @escaping @MainActor @Sendable (UIAction) -> Void
  ) { self.handler = handler }
}

@MainActor open class UIResponder: NSObject {
  nonisolated public override init() {}
}

@MainActor open class UIView: UIResponder {
  public var isHidden = false
}

@MainActor open class UIControl: UIView {
  public struct Event: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let touchUpInside = Event(rawValue: 1 << 6)
    public static let valueChanged = Event(rawValue: 1 << 12)
    public static let editingChanged = Event(rawValue: 1 << 17)
    public static let allEditingEvents = Event(rawValue: 0xF0000)
  }

  public struct State: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let normal: State = []
  }

  public var isEnabled = true
  public private(set) var actions: [(UIAction, Event)] = []

  public func addAction(_ action: UIAction, for events: Event) { actions.append((action, events)) }

  public func removeAction(_ action: UIAction, for events: Event) {
    actions.removeAll { $0.0 === action && $0.1 == events }
  }

  public func sendActions(for events: Event) {
    for (action, own) in actions where !own.isDisjoint(with: events) { action.handler(action) }
  }
}

@MainActor open class UIButton: UIControl {
  public private(set) var title: String?
  public func setTitle(_ title: String?, for state: UIControl.State) { self.title = title }
}

@MainActor open class UITextField: UIControl { public var text: String? = "" }
@MainActor open class UISearchTextField: UITextField {}
@MainActor open class UISearchBar: UIView { public let searchTextField = UISearchTextField() }
@MainActor open class UISwitch: UIControl { public var isOn = false }
@MainActor open class UISlider: UIControl { public var value: Float = 0 }
@MainActor open class UIStepper: UIControl { public var value = 0.0 }
@MainActor open class UISegmentedControl: UIControl { public var selectedSegmentIndex = -1 }
@MainActor open class UIDatePicker: UIControl { public var date = Date(timeIntervalSince1970: 0) }
@MainActor open class UILabel: UIView { public var text: String? }
@MainActor open class UIImageView: UIView { public var image: UIImage? }
@MainActor open class UIProgressView: UIView { public var progress: Float = 0 }

@MainActor open class UIRefreshControl: UIControl {
  public private(set) var isRefreshing = false
  public func beginRefreshing() { isRefreshing = true }
  public func endRefreshing() { isRefreshing = false }
}

@MainActor open class UIActivityIndicatorView: UIView {
  public private(set) var isAnimating = false
  public func startAnimating() { isAnimating = true }
  public func stopAnimating() { isAnimating = false }
}

@MainActor open class UIBarItem: NSObject {
  public var title: String?
  public var image: UIImage?
  public var isEnabled = true
  nonisolated public override init() {}
}

@MainActor open class UIBarButtonItem: UIBarItem {
  public var primaryAction: UIAction?
  public func tap() { primaryAction.map { $0.handler($0) } }
}

@MainActor open class UINavigationItem: NSObject {
  public var title: String?
  nonisolated public override init() {}
}

@MainActor open class UIViewController: UIResponder {
  public var title: String?
  public let navigationItem = UINavigationItem()
}

@MainActor open class UITableViewCell: UIView { public var label: String? }

@MainActor public protocol UITableViewDataSource: NSObject {
  func tableView(_ table: UITableView, numberOfRowsInSection section: Int) -> Int
  func tableView(_ table: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell
}

@MainActor public protocol UITableViewDelegate: NSObject {
  func tableView(_ table: UITableView, didSelectRowAt path: IndexPath)
}

@MainActor open class UITableView: UIView {
  public weak var dataSource: (any UITableViewDataSource)?
  public weak var delegate: (any UITableViewDelegate)?
  public private(set) var cells: [UITableViewCell] = []

  public func dequeueReusableCell(
    withIdentifier identifier: String, for path: IndexPath
  ) -> UITableViewCell { UITableViewCell() }

  public func reloadData() {
    let count = dataSource?.tableView(self, numberOfRowsInSection: 0) ?? 0
    cells = (0..<count).compactMap {
      dataSource?.tableView(self, cellForRowAt: IndexPath(row: $0, section: 0))
    }
  }
}

extension IndexPath {
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
  public var row: Int { self[1] }
}
