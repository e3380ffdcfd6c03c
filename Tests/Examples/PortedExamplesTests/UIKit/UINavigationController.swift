// The part of UIKit's navigation that the examples use; see UIView.

// Proof: the protocol is for one thread, as UIKit's.
protocol UINavigationControllerDelegate: AnyObject {
  func navigationController(
    _ navigationController: UINavigationController, didShow viewController: UIViewController,
    animated: Bool)
}

extension UINavigationControllerDelegate {
  func navigationController(
    _ navigationController: UINavigationController, didShow viewController: UIViewController,
    animated: Bool
  ) {}
}

class NSObject {
  init() {}
}

extension UIViewController: Hashable {
  static func == (lhs: UIViewController, rhs: UIViewController) -> Bool { lhs === rhs }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

final class UINavigationController: UIViewController, @unchecked Sendable {  // Proof: see UIView.
  private(set) var viewControllers: [UIViewController]
  weak var delegate: (any UINavigationControllerDelegate)?

  init(rootViewController: UIViewController?) {
    viewControllers = rootViewController.map { [$0] } ?? []
  }

  func pushViewController(_ viewController: UIViewController, animated: Bool) {
    viewControllers.append(viewController)
    delegate?.navigationController(self, didShow: viewController, animated: animated)
  }

  func popToRootViewController(animated: Bool) {
    if let first = viewControllers.first { popToViewController(first, animated: animated) }
  }

  func popToViewController(_ viewController: UIViewController, animated: Bool) {
    guard let index = viewControllers.firstIndex(of: viewController) else { return }
    viewControllers.removeSubrange((index + 1)...)
    delegate?.navigationController(self, didShow: viewController, animated: animated)
  }
}
