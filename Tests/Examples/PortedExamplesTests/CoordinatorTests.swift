import Testing

/// The coordinator pattern of UIKit, as published, over a stand-in for `UINavigationController`.
struct CoordinatorTests {
  /// A coordinator that presents one view controller.
  final class OneScreen: Coordinator {
    var children: [Coordinator] = []
    let router: Router
    let screen = UIViewController()

    init(_ router: Router) { self.router = router }

    func present(animated: Bool, onDismissed: (() -> Void)?) {
      router.present(screen, animated: animated, onDismissed: onDismissed)
    }
  }

  /// A router that records what it is called with.
  final class RecordingRouter: Router {
    var presented: [UIViewController] = []
    var dismissals: [Bool] = []
    var onDismissed: (() -> Void)?

    func present(_ viewController: UIViewController, animated: Bool, onDismissed: (() -> Void)?) {
      presented.append(viewController)
      self.onDismissed = onDismissed
    }

    func dismiss(animated: Bool) { dismissals.append(animated) }
  }

  @Test func `present pushes, and dismiss pops to the first view controller`() {
    let root = UIViewController()
    let navigation = UINavigationController(rootViewController: root)
    let router = NavigationRouter(navigationController: navigation)
    let (first, second) = (UIViewController(), UIViewController())
    router.present(first, animated: true)
    router.present(second, animated: false)
    #expect(navigation.viewControllers == [root, first, second])
    router.dismiss(animated: true)
    #expect(navigation.viewControllers == [root])
  }

  @Test func `dismiss calls the closure of the first view controller once`() {
    let root = UIViewController()
    let navigation = UINavigationController(rootViewController: root)
    let router = NavigationRouter(navigationController: navigation)
    var calls = 0
    router.present(root, animated: true, onDismissed: { calls += 1 })
    router.dismiss(animated: true)
    router.dismiss(animated: true)
    #expect(calls == 1)
  }

  @Test func `without a first view controller, dismiss pops to the lowest one`() {
    let navigation = UINavigationController(rootViewController: nil)
    let router = NavigationRouter(navigationController: navigation)
    let (first, second) = (UIViewController(), UIViewController())
    router.present(first, animated: true)
    router.present(second, animated: true)
    router.dismiss(animated: true)
    #expect(navigation.viewControllers == [first])
  }

  @Test func `a dismissed child is removed, and then the closure is called`() {
    let router = RecordingRouter()
    let parent = OneScreen(router)
    let child = OneScreen(router)
    var childrenSeen: [Int] = []
    parent.presentChild(child, animated: true) { childrenSeen.append(parent.children.count) }
    #expect(parent.children.count == 1)
    #expect(router.presented == [child.screen])
    router.onDismissed?()
    #expect(childrenSeen == [0])
    #expect(parent.children.isEmpty)
  }

  @Test func `removing an unknown child has no effect`() {
    let router = RecordingRouter()
    let parent = OneScreen(router)
    parent.presentChild(OneScreen(router), animated: true)
    parent.removeChild(OneScreen(router))
    #expect(parent.children.count == 1)
  }

  @Test func `the closure does not retain the child or its parent`() {
    let router = RecordingRouter()
    var calls = 0
    do {
      let parent = OneScreen(router)
      parent.presentChild(OneScreen(router), animated: true) { calls += 1 }
    }
    router.onDismissed?()
    #expect(calls == 0)
  }

  @Test func `dismiss passes the flag to the router`() {
    let router = RecordingRouter()
    OneScreen(router).dismiss(animated: false)
    #expect(router.dismissals == [false])
  }
}
