public import ReactorCoding

/// An Action with a case for the actions of a stack: `case stack(StackAction<OrderFlow>)`.
///
/// The conformance makes actions for screens, the most frequent actions of a flow, faster: they are
/// read and written in one step, without the coding that the compiler derives for the enum. Their
/// JSON must be the derived one, `{"stack":…}`; a type with another coding uses that coding.
public protocol StackRequesting: Sendable, FrequentlyFormed {
  /// The flow.
  associatedtype Flow: CoordinatorProtocol

  /// Wraps an action of the stack.
  static func stack(_ action: StackAction<Flow>) -> Self
}

extension StackRequesting {
  /// The form of an action for a screen: `{"stack":{"send":{"to":"2","action":{"drink":"add"}}}}`, or
  /// `nil` if the JSON of the type is not the derived one.
  public static var frequentForm: FrequentForm<Self>? {
    guard isDerived else { return nil }
    return FrequentForm(beginning: #"{"stack":{"send":"#) { input in
      guard let stack = input.onlyMember(named: "stack"),
        let (id, action) = try StackAction<Flow>.sent(in: stack)
      else { return nil }
      let json = try JSONCoder.encodeObject { object in
        try action.encodeSend(to: id, in: object.object(as: "stack"))
      }
      return (.stack(.send(to: id, action: action)), json)
    }
  }

  /// Whether an action of the stack has the JSON that the compiler derives.
  private static var isDerived: Bool {
    let derived = Array(#"{"stack":{"dismiss":"2"}}"#.utf8)
    guard let decoded = try? JSONCoder.decode(Self.self, from: derived) else { return false }
    return [Self.stack(.dismiss("2")), decoded].allSatisfy {
      (try? JSONCoder.encode($0)) == derived
    }
  }
}
