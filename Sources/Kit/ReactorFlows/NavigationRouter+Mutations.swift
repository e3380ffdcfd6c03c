public import ReactorCore

extension NavigationRouter {
  /// Creates the entry of a new screen.
  ///
  /// - Throws: ``NavigationError/tooManyScreens``, or a ``RouterMisuse`` if no module has the
  ///   State.
  static func entry(
    for state: some ModuleValue, as presentation: Presentation, animated: Bool,
    onDismissed: Flow.Step? = nil, above stack: StackContents
  ) throws -> Entry<Flow> {
    guard stack.entries.count < stackLimit else { throw NavigationError.tooManyScreens }
    guard let module = Flow.module(for: type(of: state)) else {
      throw RouterMisuse.noModule(for: type(of: state))
    }
    let facts = ScreenFacts(
      "\(stack.presented + 1)", module.kind, presentation, animated: animated,
      onDismissed: onDismissed)
    return Entry(contents: PresentedScreen(facts, state: state))
  }

  /// Returns the mutation that dismisses screens, the highest first.
  static func dismissal(
    of screens: ArraySlice<PresentedScreen>, animated: Bool
  ) -> StackMutation<Flow> {
    .dismiss(entries: screens.reversed().map(DismissedEntry.init), animated: animated)
  }

  /// Returns the mutation of a client's dismissal.
  @usableFromInline
  func dismiss(_ id: String, in flow: Flow) -> Observable<Flow.Mutation> {
    let stack = flow.currentState.stack.contents
    guard let index = stack.index(of: id) else { return .empty() }
    if let error = rejection(ofDismissing: stack.entries[index...], in: flow) {
      return .error(error)
    }
    return .just(.stack(Self.dismissal(of: stack.entries[index...], animated: true)))
  }

  /// Returns the reason to reject a client's dismissal of screens, or `nil` if the dismissal is
  /// allowed.
  private func rejection(
    ofDismissing screens: ArraySlice<PresentedScreen>, in flow: Flow
  ) -> NavigationError? {
    if screens.startIndex == 0, !screens.isEmpty { return .firstStays }
    return screens.allSatisfy { flow.allowsDismissal(of: Entry(contents: $0)) }
      ? nil : .cannotLeave
  }

  /// Returns the reason to reject an action for a screen that is not presented, or is of another
  /// kind.
  @usableFromInline
  func rejection(
    of action: ModuleAction<Flow>, to id: String, in flow: Flow
  ) -> NavigationError {
    guard let screen = flow.currentState.stack.contents[id] else { return .gone(id) }
    return .otherScreen(id, is: screen.facts.kind.name, not: action.message.kind.name)
  }

  // MARK: Paths

  /// A linked screen in a path.
  private struct Place {
    let kind: ScreenKind
    let text: String?

    func isShown(by screen: PresentedScreen) -> Bool {
      guard screen.facts.kind.isSame(as: kind) else { return false }
      guard let text else { return true }
      return kind.link?.text?(screen.state)?.hasSameBytes(as: text) == true
    }

    /// The first State of the screen.
    var state: (any ModuleValue)? { kind.link?.state(text) }
  }

  @usableFromInline
  func open(_ path: String, in flow: Flow, isByClient: Bool) -> Observable<Flow.Mutation> {
    guard let places = Self.places(of: path) else {
      return .error(NavigationError.noSuchPlace)
    }
    let entries = flow.currentState.stack.contents.entries
    guard places.count < stackLimit else { return .error(NavigationError.tooManyScreens) }
    let common = zip(entries.dropFirst(), places).prefix { $1.isShown(by: $0) }.count
    let dismissed = entries.dropFirst(1 + common)
    let missing = places.dropFirst(common)
    let states = missing.compactMap(\.state)
    guard states.count == missing.count else { return .error(NavigationError.noSuchPlace) }
    if isByClient, let error = rejection(ofDismissing: dismissed, in: flow) {
      return .error(error)
    }
    let dismissal: [Observable<Flow.Mutation>] =
      dismissed.isEmpty ? [] : [.just(.stack(Self.dismissal(of: dismissed, animated: false)))]
    let presentations = states.map {
      present($0, as: .push, animated: false, onDismissed: nil)
    }
    return .concat(dismissal + presentations)
  }

  /// Returns the screens of a path, or `nil` if one of its parts is unknown.
  private static func places(of path: String) -> [Place]? {
    guard var rest = FlowPath.parts(of: path)?[...] else { return nil }
    var places: [Place] = []
    while let name = rest.popFirst() {
      let kind = Flow.modules.lazy.map(\.witness.kind)
        .first { $0.link?.name.hasSameBytes(as: name) == true }
      guard let kind else { return nil }
      let hasText = kind.link?.text != nil
      let text = hasText ? rest.popFirst() : nil
      guard hasText == (text != nil) else { return nil }
      places.append(Place(kind: kind, text: text))
    }
    return places
  }
}

extension StackContents {
  /// Applies a mutation that presents or dismisses screens.
  @usableFromInline
  mutating func apply<Flow>(_ mutation: StackMutation<Flow>) {
    removed = []
    switch mutation {
    case .present(let entry): push(entry.contents)
    case .dismiss(let entries, _): remove(entries.map(\.id))
    case .replace(let entry, let dismissed): replace(dismissed.id, by: entry.contents)
    case .change: break
    }
  }
}
