internal import ReactorCore

extension NavigationRouter {
  /// Creates the entry of a new screen.
  ///
  /// - Throws: ``NavigationError/tooManyScreens``, or the misuse of a State without a module.
  static func entry(
    for state: some ModuleValue, as presentation: Presentation, animated: Bool,
    onDismissed: Flow.Step? = nil, above stack: Stack<Flow>
  ) throws -> Entry<Flow> {
    guard stack.entries.count < Stack<Flow>.limit else { throw NavigationError.tooManyScreens }
    guard let module = Flow.module(for: type(of: state)) else {
      throw RouterMisuse.noModule(for: type(of: state))
    }
    return Entry(
      "\(stack.presented + 1)", module, presentation, animated: animated,
      onDismissed: onDismissed, state: state)
  }

  /// The mutation that dismisses screens, the highest first.
  static func dismissal(
    of entries: ArraySlice<Entry<Flow>>, animated: Bool
  ) -> StackMutation<Flow> {
    .dismiss(entries: entries.reversed().map(DismissedEntry.init), animated: animated)
  }

  /// The reason to reject a client's dismissal of screens; `nil` if it is possible.
  func rejection(
    ofDismissing entries: ArraySlice<Entry<Flow>>, in flow: Flow
  ) -> NavigationError? {
    if entries.startIndex == 0, !entries.isEmpty { return .firstStays }
    return entries.allSatisfy(flow.allowsDismissal) ? nil : .cannotLeave
  }

  // MARK: Paths

  /// A linked screen in a path.
  private struct Place {
    let module: Module<Flow>
    let text: String?

    func isShown(by entry: Entry<Flow>) -> Bool {
      guard entry.screen.utf8.elementsEqual(module.name.utf8) else { return false }
      guard let text else { return true }
      return module.witness.linkText(of: entry.state)?.utf8.elementsEqual(text.utf8) == true
    }
  }

  func open(_ path: String, in flow: Flow, isByClient: Bool) -> Observable<Flow.Mutation> {
    guard let places = Self.places(of: path) else {
      return .error(NavigationError.noSuchPlace)
    }
    let entries = flow.currentState.stack.entries
    guard places.count < Stack<Flow>.limit else { return .error(NavigationError.tooManyScreens) }
    let common = zip(entries.dropFirst(), places).prefix { $1.isShown(by: $0) }.count
    let dismissed = entries.dropFirst(1 + common)
    let missing = places.dropFirst(common)
    let states = missing.compactMap { $0.module.witness.linkedState($0.text) }
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

  /// The screens of a path; `nil` if one of its parts is unknown.
  private static func places(of path: String) -> [Place]? {
    guard var rest = FlowPath.parts(of: path)?[...] else { return nil }
    var places: [Place] = []
    while let name = rest.popFirst() {
      let module = Flow.modules.first {
        $0.witness.linkName?.utf8.elementsEqual(name.utf8) == true
      }
      guard let module else { return nil }
      let text = module.witness.linkHasText ? rest.popFirst() : nil
      guard module.witness.linkHasText == (text != nil) else { return nil }
      places.append(Place(module: module, text: text))
    }
    return places
  }
}

extension Stack {
  mutating func push(_ entry: Entry<Flow>) {
    entries.append(entry)
    presented += 1
  }

  /// Removes screens above the first.
  mutating func remove(_ ids: [String]) {
    for id in ids {
      guard let index = index(of: id), index > 0 else { continue }
      entries.remove(at: index)
      removed.append(id)
    }
  }

  mutating func replace(_ id: String, by entry: Entry<Flow>) {
    guard let index = index(of: id) else { return }
    entries[index] = entry
    presented += 1
    removed = [id]
  }
}
