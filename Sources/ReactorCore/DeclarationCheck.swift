internal import ReactorStreams

/// A reactor whose declaration can have errors that the compiler does not find.
///
/// A host calls it once at its start, with an instance that is not used otherwise.
public protocol DeclarationChecked: AnyObject {
  /// The first error of the declaration, as one line that names it; `nil` if there is none.
  var declarationProblem: String? { get }
}

extension ReactorProtocol {
  /// The name of the first `transform` that the reactor overrides; `nil` if it overrides none.
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
