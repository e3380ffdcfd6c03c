internal import ReactorCoding
public import ReactorCore

/// A kind of screen of a flow: a reactor, whose State is stored in an entry of the stack.
///
/// The reactor is written and tested like any other, and does not know the flow. Its `mutate`,
/// `reduce`, `follow` and `onError` are called; it must not override a `transform`.
public struct Module<Flow: CoordinatorProtocol>: Sendable {
  @usableFromInline let witness: ModuleWitness<Flow>

  /// The name of the screen in JSON, which selects its actions, mutations and State.
  public var name: String { witness.kind.name }

  /// Declares a screen.
  ///
  /// - Parameters:
  ///   - name: The name in JSON; unique in the flow.
  ///   - type: The reactor; its type of State is unique in the flow.
  ///   - link: The part of the screen in a path; without one the stack has no path while the screen is
  ///     presented.
  ///   - make: Creates an instance: one per screen, and one to reduce mutations. Must be cheap.
  ///   - step: Returns the step that a mutation of the screen reports to the flow, or `nil`.
  @inlinable
  public init<R: Reactor>(
    _ name: String, _ type: R.Type, link: Link<R.State>? = nil,
    make: @escaping @Sendable (Flow) -> R,
    step: @escaping @Sendable (R.Mutation) -> Flow.Step? = { _ in nil }
  ) where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
    witness = ModuleWitness(
      kind: ScreenKind(
        name, R.Action.self, R.Mutation.self, R.State.self, link: link.map { ScreenLink($0) }),
      makeScreen: { Screen($0, of: $1, make($2)) },
      makeReduce: { flow in
        let instance = FoldingInstance(make(flow), mayTransform: false)
        return { state, mutation in
          guard let state = known(state, as: R.State.self),
            let mutation = known(mutation, as: R.Mutation.self)
          else { return state }
          return instance.reduce(state, mutation)
        }
      },
      step: { mutation in known(mutation, as: R.Mutation.self).flatMap(step) },
      problem: { moduleProblem(of: make($0), link: link) })
  }
}

/// A value of a module: an action, a mutation or a State.
@usableFromInline typealias ModuleValue = Codable & Sendable

/// Folds a mutation into the State of a screen; values of other types have no effect.
@usableFromInline typealias ScreenReduce = (any ModuleValue, any ModuleValue) -> any ModuleValue

/// The functions of a module, for code that does not know the types of its reactor.
///
/// The initializer of ``Module`` creates the closures. It is inlinable, so that they are
/// specialized for the reactor in the Swift module that declares the flow. Without the
/// specialization, the lookup of the types at run time took a third of the time of an action.
@usableFromInline
final class ModuleWitness<Flow: CoordinatorProtocol>: Sendable {
  @usableFromInline let kind: ScreenKind

  /// Creates the instance of a screen, by its id.
  @usableFromInline let makeScreen: @Sendable (String, ModuleWitness<Flow>, Flow) -> Screen<Flow>

  /// Creates a function that reduces.
  ///
  /// Reducing is pure, so one function suffices for all screens of the module.
  @usableFromInline let makeReduce: @Sendable (Flow) -> ScreenReduce

  /// Returns the step that a mutation reports.
  @usableFromInline let step: @Sendable (any ModuleValue) -> Flow.Step?

  /// Returns an error of the declaration, without the name of the module.
  let problem: @Sendable (Flow) -> String?

  @usableFromInline
  init(
    kind: ScreenKind,
    makeScreen: @escaping @Sendable (String, ModuleWitness<Flow>, Flow) -> Screen<Flow>,
    makeReduce: @escaping @Sendable (Flow) -> ScreenReduce,
    step: @escaping @Sendable (any ModuleValue) -> Flow.Step?,
    problem: @escaping @Sendable (Flow) -> String?
  ) {
    self.kind = kind
    self.makeScreen = makeScreen
    self.makeReduce = makeReduce
    self.step = step
    self.problem = problem
  }
}

/// Returns an error of the declaration of a module, without its name.
@usableFromInline
func moduleProblem<R: Reactor>(of reactor: R, link: Link<R.State>?) -> String? {
  if let overridden = reactor.overriddenTransform {
    return "overrides \(overridden), which is not called for a screen"
  }
  if let child = reactor as? any DeclarationChecked, let problem = child.declarationProblem {
    return problem
  }
  guard let link else { return nil }
  guard !link.name.isEmpty, link.name.utf8.allSatisfy(PercentEncoding.isUnreserved) else {
    return "has the link \"\(link.name)\": use A-Z a-z 0-9 . _ ~ -"
  }
  // The link may have no screen for the text of the initial State.
  let text = link.text?(reactor.initialState)
  if let state = link.state(text), let text, link.text?(state) != text {
    return "has a link that does not return to the text of its initial State"
  }
  return nil
}

extension CoordinatorProtocol {
  static func module(named name: String) -> ModuleWitness<Self>? {
    modules.first { $0.witness.kind.name.hasSameBytes(as: name) }?.witness
  }

  static func module(for state: Any.Type) -> ModuleWitness<Self>? {
    modules.first { $0.witness.kind.stateType == state }?.witness
  }
}
