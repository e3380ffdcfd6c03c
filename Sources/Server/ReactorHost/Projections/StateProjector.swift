internal import ReactorCoding
package import ReactorLog
package import ReactorSessions

/// The projection of one reactor, without its types.
///
/// Everything that shows a State of a projected reactor to a client goes through `read`.
public struct StateProjector: Sendable {
  /// The JSON Schema of the views.
  let viewSchema: @Sendable () -> JSONValue

  private let decode: @Sendable (CommittedState) throws -> any ProjectedState

  init<State: Codable & Sendable>(_ projection: any StateProjection<State>) {
    viewSchema = { Self.schema(of: projection.viewType) }
    decode = { committed in
      DecodedState(
        cursor: committed.cursor, state: try JSONCoder.decode(State.self, from: committed.json),
        projection: projection)
    }
  }

  private static func schema<View: Decodable>(of view: View.Type) -> JSONValue {
    JSONSchema.derive(view, for: .output)
  }

  /// Decodes a State, of which audiences and views can then be read.
  package func read(_ state: CommittedState) throws -> any ProjectedState { try decode(state) }
}

/// A State of a projected reactor.
package protocol ProjectedState: Sendable {
  /// The position of the State.
  var cursor: Cursor { get }

  /// Returns the audience of a client, or `nil` if it sees nothing.
  func audience(of viewer: Viewer) throws -> AudienceKey?

  /// Encodes what an audience sees of the State.
  func view(for audience: AudienceKey) throws -> CommittedState

  /// Returns whether every client has the same audience as in an earlier State.
  func keepsAudiences(of earlier: any ProjectedState) -> Bool
}

private struct DecodedState<State: Codable & Sendable>: ProjectedState {
  let cursor: Cursor
  let state: State
  let projection: any StateProjection<State>

  func audience(of viewer: Viewer) throws -> AudienceKey? {
    try projection.audienceKey(of: viewer, in: state)
  }

  func view(for audience: AudienceKey) throws -> CommittedState {
    CommittedState(
      cursor: cursor, json: try JSONCoder.encode(projection.anyView(of: state, for: audience)))
  }

  func keepsAudiences(of earlier: any ProjectedState) -> Bool {
    guard let earlier = earlier as? Self else { return false }
    return projection.keepsAudiences(from: earlier.state, to: state)
  }
}
