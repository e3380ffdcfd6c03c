internal import ClientCore
public import Dispatch
public import Foundation

/// The bounds and options of a client.
///
/// Every queue of the client has its bound here.
public struct ClientConfiguration: Sendable {
  /// The sessions per event stream; more sessions open another stream.
  ///
  /// If the server accepts fewer sessions, the client detects that and opens
  /// more streams.
  public var sessionsPerStream = 100

  /// The maximum number of actions per session without a final response.
  ///
  /// Beyond it, `send` fails and `action` reports a problem. The actions of an earlier process are
  /// all restored, since this bound limited them as well.
  public var queuedActions = 1000

  /// The file that stores the actions without a final response, so that they are sent after a
  /// restart of the app; `nil` stores them in memory only.
  ///
  /// An action is in the file when `onNext` of ``RemoteReactor/action`` returns, on any thread,
  /// unless it was rejected: the end of the process does not lose it. A power failure can lose the
  /// last actions. The file has at most 64 KiB, or twice the bytes of the pending actions, whichever is
  /// more.
  ///
  /// The file contains the actions as JSON: put it where the app's other private data is. Only one
  /// client can use a file at a time.
  ///
  /// A file that exists but cannot be read, such as one that is protected while the device is locked,
  /// is not changed: ``ReactorServer/problems`` begins with `Problem/Kind/unreadableQueue`, and
  /// actions are in memory only until ``ReactorServer/resume()`` has read the file.
  public var offlineQueue: URL?

  /// The folder that stores the last State of each session, so that the app shows it before the first
  /// response, also without a network; `nil` stores none.
  ///
  /// A State is written about a second after its arrival. A State of more than 1 MiB of JSON is not stored.
  /// On iOS, tvOS, watchOS and visionOS the files have the protection class `complete`: they are encrypted
  /// while the device is locked. Elsewhere the permissions of the folder protect them, which the client
  /// creates for its user only. Use a folder per user that can sign in, and
  /// ``ReactorServer/eraseStoredData()`` when the user signs out.
  public var storedStates: URL?

  /// The maximum number of States in ``storedStates``; those that have not changed for the longest time
  /// are removed.
  public var storedSessions = 100

  /// The queue on which observers are called, or `nil` for background threads.
  ///
  /// With the main queue a view is bound to a hosted reactor as to a local one, without
  /// `observe(on:)`. States are decoded in the background in any case. The State that a
  /// subscription begins with, and a State that is expected from an action, are delivered on the
  /// thread that subscribes or sends.
  public var deliveryQueue: DispatchQueue?

  /// The name of this client among the subscribers of a session, at a service without authentication; 1
  /// to 128 bytes.
  ///
  /// With authentication the name is the principal of the token.
  public var name: String?

  /// Whether the types of each reactor are compared with those that the server describes.
  public var checksTypes = true

  /// Creates the default configuration.
  public init() {}
}
