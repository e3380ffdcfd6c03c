public import ReactorSessions

extension ReactorTest where Tested: ProjectedReactor {
  /// Returns what an audience sees of the last state.
  ///
  /// ```swift
  /// #expect(try test.view(for: 2).hand == "ace")
  /// ```
  ///
  /// - Parameter key: The key of the audience.
  /// - Returns: The view.
  /// - Throws: The error of the projection.
  public func view(for key: Tested.Audiences) throws -> Tested.View {
    try Tested.projection.view(of: state, for: key)
  }

  /// Returns what a client sees of the last state, or `nil` for nothing.
  ///
  /// - Parameter viewer: The client.
  /// - Returns: The view.
  /// - Throws: The error of the projection.
  public func view(of viewer: Viewer) throws -> Tested.View? {
    switch try Tested.projection.audience(of: viewer, in: state) {
    case .sees(let key): try view(for: key)
    case .nothing: nil
    }
  }
}
