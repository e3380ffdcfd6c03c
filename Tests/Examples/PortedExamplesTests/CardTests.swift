import ReactorCore
import ReactorTesting
import Testing

// The superclass `BaseView` of the original is the protocol `LayoutDrivenView`: `initializeLayout` and
// `initializeProperties` are `initializeView`, and `layoutSubviews` is `updateLayout`.

// Proof: see UIView.
final class CardView: UIView, LayoutDrivenView, @unchecked Sendable {
  let layoutPass = LayoutPass()

  var text: String = "" {
    didSet {
      setNeedsLayout()
    }
  }

  var fontSize: Double = 14 {
    didSet {
      setNeedsLayout()
    }
  }

  private(set) var textLabel = UILabel()
  private(set) var passes = 0

  func initializeView() {
    textLabel = UILabel()
  }

  func updateLayout() {
    passes += 1
    textLabel.text = text
    textLabel.fontSize = fontSize
  }
}

// Proof: see UIView.
final class SliderViewController: UIViewController, @unchecked Sendable {
  let cardView = CardView()

  func valueChanged(_ value: Double) {
    cardView.text = "\(value)"
    cardView.fontSize = value * 36
  }
}

@Suite(.ownSerialContext) struct CardTests {
  @Test func `the card shows the latest values, whichever property was set last`() {
    let viewController = SliderViewController()
    viewController.valueChanged(0.5)
    #expect(viewController.cardView.textLabel.text == "0.5")
    #expect(viewController.cardView.textLabel.fontSize == 18)
  }

  @Test func `changes of one turn are one pass`() {
    let viewController = SliderViewController()
    let slider = PublishSubject<Double>()
    let disposeBag = DisposeBag()
    slider.asDriver(onErrorJustReturn: 0)
      .drive(onNext: { [viewController] value in viewController.valueChanged(value) })
      .disposed(by: disposeBag)
    slider.onNext(0.25)
    #expect(viewController.cardView.textLabel.text == "0.25")
    #expect(viewController.cardView.textLabel.fontSize == 9)
    #expect(viewController.cardView.passes == 1)
  }
}

// MARK: An enum with known cases and custom texts

enum CompassPoint: OpenText {
  case north
  case south
  case custom(String)

  static let allCases: [CompassPoint] = [.north, .south]
}

extension CompassPoint: ExpressibleByStringLiteral {
  init(stringLiteral value: String) {
    switch value {
    case "north":
      self = .north
    case "south":
      self = .south
    default:
      self = .custom(value)
    }
  }
}

extension CompassPoint: CustomStringConvertible {
  var description: String {
    switch self {
    case .north:
      return "north"
    case .south:
      return "south"
    case .custom(let type):
      return type
    }
  }
}

struct CompassPointTests {
  @Test func `a text is a known case or a custom one`() {
    let point: CompassPoint = "west"
    #expect("\(point)" == "west")
    #expect(CompassPoint.custom("north") == .north)
    #expect(point != .south)
  }
}
