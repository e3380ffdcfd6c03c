internal import ReactorCore

extension CoordinatorProtocol {
  /// The first error in the declaration of the modules, as one line, or `nil` if there is none.
  public var declarationProblem: String? {
    let modules = Self.modules
    func repeated<Value: Hashable>(_ values: [Value]) -> Value? {
      var seen: Set<Value> = []
      return values.first { !seen.insert($0).inserted }
    }
    if let name = repeated(modules.map(\.name)) {
      return "\(Self.self) has two modules with the name \"\(name)\""
    }
    if let link = repeated(modules.compactMap { $0.witness.kind.link?.name }) {
      return "\(Self.self) has two modules with the link \"\(link)\""
    }
    let states = modules.map { ObjectIdentifier($0.witness.kind.stateType) }
    if let state = repeated(states), let index = states.lastIndex(of: state) {
      return """
        \(Self.self) has two modules with the State \(modules[index].witness.kind.stateType): \
        present cannot select one
        """
    }
    if initialState.stack.entries.count != 1 {
      return "the first screen of \(Self.self) has a State that belongs to none of its modules"
    }
    for module in modules {
      if let problem = module.witness.problem(self) {
        return "the module \"\(module.name)\" of \(Self.self) \(problem)"
      }
    }
    return nil
  }
}
