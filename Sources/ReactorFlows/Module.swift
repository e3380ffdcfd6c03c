public import ReactorCore

/// A kind of screen of a flow: a reactor, whose State is stored in an entry of the stack.
///
/// The reactor is written and tested like any other, and does not know the flow. Its `mutate`,
/// `reduce`, `follow` and `onError` are called; it must not override a `transform`.
public struct Module<Flow: CoordinatorProtocol>: Sendable {
  /// The name of the screen in JSON, which selects its actions, mutations and State.
  public let name: String

  let witness: any ModuleWitness<Flow>

  /// Declares a screen.
  ///
  /// - Parameters:
  ///   - name: The name in JSON; unique in the flow.
  ///   - type: The reactor; its type of State is unique in the flow.
  ///   - link: The part of the screen in a path; without one the stack has no path while the screen is
  ///     presented.
  ///   - make: Creates an instance: one per screen, and one to reduce mutations. Must be cheap.
  ///   - step: Returns the step that a mutation of the screen reports to the flow, or `nil`.
  public init<R: Reactor>(
    _ name: String, _ type: R.Type, link: Link<R.State>? = nil,
    make: @escaping @Sendable (Flow) -> R,
    step: @escaping @Sendable (R.Mutation) -> Flow.Step? = { _ in nil }
  ) where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
    self.name = name
    witness = ReactorModule(link: link, make: make, step: step)
  }
}

/// A value of a module: an action, a mutation or a State.
typealias ModuleValue = Codable & Sendable

/// A module without the types of its reactor.
protocol ModuleWitness<Flow>: Sendable {
  associatedtype Flow: CoordinatorProtocol

  var actionType: any ModuleValue.Type { get }
  var mutationType: any ModuleValue.Type { get }
  var stateType: any ModuleValue.Type { get }

  /// The part of the screen in a path.
  var linkName: String? { get }
  /// Whether the part has a text.
  var linkHasText: Bool { get }
  func linkText(of state: any ModuleValue) -> String?
  func linkedState(_ text: String?) -> (any ModuleValue)?

  func makeScreen(_ id: String, of module: String, in flow: Flow) -> any Screen<Flow>
  func step(of mutation: any ModuleValue) -> Flow.Step?

  /// An error of the declaration, without the name of the module.
  func problem(in flow: Flow) -> String?
}

private struct ReactorModule<Flow: CoordinatorProtocol, R: Reactor>: ModuleWitness
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  let link: Link<R.State>?
  let make: @Sendable (Flow) -> R
  let step: @Sendable (R.Mutation) -> Flow.Step?

  var actionType: any ModuleValue.Type { R.Action.self }
  var mutationType: any ModuleValue.Type { R.Mutation.self }
  var stateType: any ModuleValue.Type { R.State.self }
  var linkName: String? { link?.name }
  var linkHasText: Bool { link?.text != nil }

  func linkText(of state: any ModuleValue) -> String? {
    (state as? R.State).flatMap { link?.text?($0) }
  }

  func linkedState(_ text: String?) -> (any ModuleValue)? {
    link?.state(text)
  }

  func makeScreen(_ id: String, of module: String, in flow: Flow) -> any Screen<Flow> {
    ReactorScreen<Flow, R>(id, of: module, make(flow))
  }

  func step(of mutation: any ModuleValue) -> Flow.Step? {
    (mutation as? R.Mutation).flatMap(step)
  }

  func problem(in flow: Flow) -> String? {
    let reactor = make(flow)
    if let overridden = reactor.overriddenTransform {
      return "overrides \(overridden), which is not called for a screen"
    }
    if let child = reactor as? any DeclarationChecked, let problem = child.declarationProblem {
      return problem
    }
    guard let link else { return nil }
    guard !link.name.isEmpty, link.name.utf8.allSatisfy(FlowPath.isUnreserved) else {
      return "has the link \"\(link.name)\": use A-Z a-z 0-9 . _ ~ -"
    }
    let text = link.text?(reactor.initialState)
    guard let state = link.state(text), text == nil || link.text?(state) == text else {
      return "has a link that does not return to the text of its initial State"
    }
    return nil
  }
}
