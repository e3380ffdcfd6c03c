public import ReactorCore

/// A flow: a reactor whose State holds a stack of screens.
///
/// Each screen, a *module*, is a reactor inside the State of the flow. ``CoordinatorProtocol/coordinate(_:)``
/// is the only code that contains the order of screens; see <doc:ScreensAndFlows>.
///
/// ```swift
/// final class OrderFlow: Coordinator { … }
/// ```
public typealias Coordinator = ReactorInstance & CoordinatorProtocol

/// The requirements of a flow.
///
/// Conform to ``Coordinator``, which adds the pipeline. `mutate`, `follow` and `reduce` forward the
/// cases of the stack to ``router``. All requirements are called in the serial context of the session.
public protocol CoordinatorProtocol: ReactorInstance, FollowingReactor, DeclarationChecked
where
  Action: Codable, Mutation: Codable & StackChanging, State: Codable & StackHolding,
  Mutation.Flow == Self, State.Flow == Self
{
  /// A value that a module reports, or that is stored with a screen until its dismissal.
  ///
  /// Clients cannot send steps. Stored steps are part of the State, which clients can read: they
  /// must not contain secrets.
  associatedtype Step: Codable & Sendable

  /// The screens of the flow.
  static var modules: [Module<Self>] { get }

  /// Presents and dismisses the screens of this flow.
  var router: NavigationRouter<Self> { get }

  /// Returns the mutations that a step causes, such as the presentation of the next screen.
  ///
  /// Called in the turn that caused the step, after the mutation that reported it was reduced, or
  /// after all dismissed screens were removed. The mutations that the stream emits synchronously
  /// belong to the same batch of the log. Later work of the stream is repeated after a crash only
  /// if its action is repeated: record work that must be completed in the State.
  func coordinate(_ step: Step) -> Observable<Mutation>

  /// Returns whether a client may dismiss a screen; `true` by default.
  ///
  /// If it returns `false` for a screen, an action that would dismiss the screen is rejected with 409.
  /// The flow's own `dismiss` is not checked.
  func allowsDismissal(of entry: Entry<Self>) -> Bool
}

/// A State that holds the stack of a flow.
public protocol StackHolding {
  /// The flow.
  associatedtype Flow: CoordinatorProtocol

  /// The screens, the first one at the bottom.
  var stack: Stack<Flow> { get }
}

/// A Mutation with a case for the changes of a stack: `case stack(StackMutation<OrderFlow>)`.
public protocol StackChanging {
  /// The flow.
  associatedtype Flow: CoordinatorProtocol

  /// Wraps a change of the stack.
  static func stack(_ mutation: StackMutation<Flow>) -> Self
}

/// A presented child flow.
public struct Child<Flow: CoordinatorProtocol> {
  /// The screen of the child flow in the stack of its parent.
  public let entry: Entry<Flow>

  /// The instance that executes it.
  public let coordinator: any CoordinatorProtocol
}

extension CoordinatorProtocol {
  /// `true`.
  public func allowsDismissal(of entry: Entry<Self>) -> Bool { true }

  /// Binds the router, so that each of its functions works as the first use of an instance.
  public func bindParts() {
    router.bind(to: self)
  }

  /// The presented child flows, the lowest first.
  ///
  /// Derived from the stack: a child is added with its presentation and removed with its dismissal,
  /// before the `onDismissed` step is coordinated. Read it in the serial context.
  public var children: [Child<Self>] {
    router.children(of: self)
  }

  /// Presents a screen, whose module is the one with this type of State.
  ///
  /// - Parameters:
  ///   - state: The first State of the screen.
  ///   - presentation: How clients present it.
  ///   - animated: Whether clients animate the presentation.
  ///   - onDismissed: Coordinated once, when the screen is dismissed for any reason.
  /// - Returns: The mutation; fails if there are ``Stack/limit`` screens.
  public func present<ScreenState: Codable & Sendable>(
    _ state: ScreenState, as presentation: Presentation = .push, animated: Bool,
    onDismissed: Step? = nil
  ) -> Observable<Mutation> {
    router.bind(to: self)
    return router.present(state, as: presentation, animated: animated, onDismissed: onDismissed)
  }

  /// Presents a child flow.
  ///
  /// - Parameters:
  ///   - state: The first State of the flow.
  ///   - animated: Whether clients animate the presentation.
  ///   - onDismissed: Coordinated once, when the flow is dismissed for any reason.
  /// - Returns: The mutation; fails if there are ``Stack/limit`` screens.
  public func presentChild<ChildState: StackHolding & Codable & Sendable>(
    _ state: ChildState, animated: Bool, onDismissed: Step? = nil
  ) -> Observable<Mutation> {
    present(state, as: .push, animated: animated, onDismissed: onDismissed)
  }

  /// Dismisses all screens above the first.
  public func dismiss(animated: Bool) -> Observable<Mutation> {
    router.bind(to: self)
    return router.dismiss(animated: animated)
  }
}
