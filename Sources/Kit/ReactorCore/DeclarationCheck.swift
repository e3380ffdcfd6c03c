internal import ReactorStreams

/// A reactor whose declaration can have errors that the compiler does not find.
///
/// A host reads ``declarationProblem`` once when it starts, from an instance that it does not use
/// otherwise.
public protocol DeclarationChecked: AnyObject {
  /// The first error of the declaration, as one line of text, or `nil` if the declaration is correct.
  var declarationProblem: String? { get }
}

extension ReactorProtocol {
  /// The name of the first `transform` that the reactor overrides, or `nil` if it overrides none.
  package var overriddenTransform: String? {
    let (actions, mutations, states) = (
      Observable<Action>.empty(), Observable<Mutation>.empty(), Observable<State>.empty()
    )
    if transform(action: actions) !== actions { return "transform(action:)" }
    if transform(mutation: mutations) !== mutations { return "transform(mutation:)" }
    if transform(state: states) !== states { return "transform(state:)" }
    return nil
  }
}
