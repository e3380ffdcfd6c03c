extension ReactorProtocol {
  /// Reports how to satisfy the requirement.
  @available(
    *, unavailable, message: "declare it in the reactor, such as 'let initialState = State()'"
  )
  public var initialState: State { fatalError("unavailable") }
}
