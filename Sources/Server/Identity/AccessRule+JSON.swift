internal import ReactorCore

extension AccessRule: JSONListElement {
  /// The maximum number of rules of a configuration.
  package static let limit = 1000

  /// Reads the value of the setting `auth.rules`: an array of objects with `allow` or `deny`, and optionally
  /// `to`, `do`, `anonymous` and `if`.
  ///
  /// - Parameter json: The array as JSON.
  /// - Returns: The rules in the order of the array. The order has no effect: a denial is stronger than every grant.
  /// - Throws: The first rule that is malformed.
  package static func list(of json: [UInt8]) throws(ListSyntaxError) -> [AccessRule] {
    // An object around the array lets both be read by the parser that rejects repeated members.
    guard let rules = StrictObject.array(in: json) else {
      throw ListSyntaxError(description: "expected an array of objects without repeated members")
    }
    guard rules.count <= limit else {
      throw ListSyntaxError(description: "expected at most \(limit) rules, found \(rules.count)")
    }
    var parsed: [AccessRule] = []
    for (index, rule) in rules.enumerated() {
      parsed.append(try Self.rule(rule, at: index))
    }
    return parsed
  }

  private static func rule(_ value: Claims.Value, at index: Int) throws(ListSyntaxError)
    -> AccessRule
  {
    func failure(_ reason: String) -> ListSyntaxError {
      ListSyntaxError(description: "rule \(index): \(reason)")
    }
    guard case .object(let members) = value else { throw failure("expected an object") }
    if let unknown = members.names.first(where: {
      !["allow", "deny", "to", "do", "anonymous", "if"].contains($0)
    }) {
      throw failure(
        "\(unknown.debugDescription) is unknown; use allow or deny, to, do, anonymous and if")
    }
    let isDenial = members["deny"] != nil
    guard !isDenial || members["allow"] == nil,
      let right = members.string(isDenial ? "deny" : "allow").flatMap(Right.init(name:))
    else { throw failure(#"expected "allow" or "deny" to be \#(Right.names)"#) }
    var rule = AccessRule(allow: right)
    rule.isDenial = isDenial
    if members["do"] != nil {
      rule.actions = members.strings("do")
      guard right == .act, case .array(let names)? = members["do"], !names.isEmpty,
        rule.actions.count == names.count
      else { throw failure(#"expected "do" to be the names of actions, with the right act"#) }
    }
    if let to = members["to"] {
      guard case .string(let text) = to, let pattern = SessionPattern(text) else {
        throw failure(
          """
          expected "to" to be a pattern such as "cart/{sub}" or "team/{org}-*", with text between a claim \
          and what follows
          """)
      }
      rule.sessions = pattern
    }
    switch members["anonymous"] {
    case nil: break
    case .boolean(let value): rule.includesAnonymous = value
    default: throw failure(#"expected "anonymous" to be true or false"#)
    }
    switch members["if"] {
    case nil: break
    case .object(let conditions):
      for claim in conditions.names {
        let values: [Claims.Value] =
          switch conditions[claim] {
          case .array(let values): values
          case let value?: [value]
          case nil: []
          }
        guard !values.isEmpty, values.allSatisfy(\.isScalar) else {
          throw failure(
            #"expected each member of "if" to be a text, a number, true, false, or an array of them"#
          )
        }
        guard values.allSatisfy(\.isExact) else {
          throw failure(
            """
            numbers beyond 9007199254740991 are compared without their last digits; let the provider write \
            \(claim.debugDescription) as a text
            """)
        }
        rule.conditions.append(Condition(claim: claim, values: values))
      }
    default: throw failure(#"expected "if" to be an object of claims and values"#)
    }
    if rule.isDenial, members["anonymous"] != nil {
      throw failure("a denial without if includes anonymous requests; drop anonymous")
    }
    if rule.includesAnonymous, !rule.conditions.isEmpty || rule.sessions?.needsClaims == true {
      throw failure(
        "an anonymous request has no claims; drop anonymous, or if and the placeholders")
    }
    return rule
  }
}

extension Claims.Value {
  /// Whether the value is a text, a number or a Boolean.
  fileprivate var isScalar: Bool {
    switch self {
    case .boolean, .number, .string: true
    case .null, .array, .object: false
    }
  }

  /// Whether a claim can be compared with the value: beyond 2^53 - 1 two integers can be the same number.
  fileprivate var isExact: Bool {
    guard case .number(let number) = self else { return true }
    return number.magnitude < 0x1p53
  }
}
