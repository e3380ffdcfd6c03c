public import ReactorCore
internal import ReactorLog

/// The functions of one registered reactor, for code that does not know its types.
///
/// One object per registration. The closures of its ``HotPath`` are created by
/// `ReactorType.hotPath()`, which is inlinable: they are specialized for the reactor in the module
/// that registers it. Otherwise, the types would be looked up at run time, which took a third of
/// the time of a request.
@usableFromInline
final class ReactorWitness: Sendable {
  /// The functions that every action or every new session calls.
  @usableFromInline
  struct HotPath: Sendable {
    /// Creates an instance with a State, or with its initial State.
    let instantiate: @Sendable ((any Sendable)?, SessionScope) throws -> NewInstance

    /// Finds the action without associated values whose JSON equals a body, or returns `nil` for any other
    /// body.
    ///
    /// Executes no code of the reactor.
    let findPlain: @Sendable ([UInt8]) -> DecodedActions?

    /// Decodes an action, or an array of at most `limit` actions.
    let decode: @Sendable ([UInt8], _ limit: Int) throws(ActionDecodingError) -> DecodedActions

    /// Executes one of the actions without associated values, in the serial context.
    let executePlain: @Sendable (any PipelineControl, _ index: Int, ActionReply) -> Void

    /// Executes work in the serial context now if it is idle; returns whether it was.
    let executeIfIdle: @Sendable (any PipelineControl, () -> Void) -> Bool

    /// Enqueues work in the mailbox unless the number of pending items has reached a bound; returns
    /// whether it did.
    let enqueue: @Sendable (any PipelineControl, Int, @escaping @Sendable () -> Void) -> Bool

    @usableFromInline
    init(
      instantiate: @escaping @Sendable ((any Sendable)?, SessionScope) throws -> NewInstance,
      findPlain: @escaping @Sendable ([UInt8]) -> DecodedActions?,
      decode: @escaping @Sendable ([UInt8], Int) throws(ActionDecodingError) -> DecodedActions,
      executePlain: @escaping @Sendable (any PipelineControl, Int, ActionReply) -> Void,
      executeIfIdle: @escaping @Sendable (any PipelineControl, () -> Void) -> Bool,
      enqueue:
        @escaping @Sendable (any PipelineControl, Int, @escaping @Sendable () -> Void) -> Bool
    ) {
      self.instantiate = instantiate
      self.findPlain = findPlain
      self.decode = decode
      self.executePlain = executePlain
      self.executeIfIdle = executeIfIdle
      self.enqueue = enqueue
    }
  }

  /// The type of the reactor.
  let type: any Any.Type

  let hotPath: HotPath

  /// The policy for accepted actions that the end of the process interrupted.
  let interruptionPolicy: InterruptionPolicy

  /// Whether actions can have private values.
  let hasPrivateValues: Bool

  /// The parameters of sessions, or `nil` if the reactor takes none.
  let parameters: ParameterRules?

  /// The fingerprint of State and Mutation.
  ///
  /// A release that changes them has another one.
  let schema: @Sendable () -> String

  /// The types that the schemas cannot describe.
  let undescribedTypes: @Sendable () -> [String]

  /// The first error of the reactor's declaration, or `nil` if there is none.
  let declarationProblem: @Sendable (SessionScope) throws -> String?

  /// The schemas and examples.
  let describe: @Sendable (SessionScope) -> ReactorDescription

  /// The initial State of a new instance as clients see it, as JSON.
  let initial: @Sendable (SessionScope) throws -> [UInt8]

  /// The JSON of an action, or `nil` for a value of another type.
  let encodeAction: @Sendable (any Sendable) throws -> [UInt8]?

  let decodeJournal: @Sendable ([AcceptedAction]) throws -> DecodedActions

  /// Decodes a stored value of a session.
  let check: @Sendable (StoredSample, SessionScope) throws -> Void

  /// The rules for actions that clients cannot send, or `nil` for most reactors.
  let internalActions: InternalActionRules?

  /// Begins a fold of a session's log with a snapshot, or with the initial State.
  let fold: @Sendable (Snapshot?, SessionScope) throws -> any SessionFold

  /// Folds a log twice and compares the results.
  let verify: @Sendable (any SessionLog, SessionScope) throws -> RefoldReport

  /// Encodes the folded State, to which `reduce` applies the next mutation, as JSON, or returns `nil` outside
  /// of the serial context.
  let encodeFolded: @Sendable (any PipelineControl) -> [UInt8]?

  /// The State that clients see, as JSON.
  let encodeShown: @Sendable (any PipelineControl) throws -> [UInt8]

  init(
    type: any Any.Type, hotPath: HotPath, interruptionPolicy: InterruptionPolicy,
    hasPrivateValues: Bool,
    parameters: ParameterRules?,
    schema: @escaping @Sendable () -> String,
    undescribedTypes: @escaping @Sendable () -> [String],
    declarationProblem: @escaping @Sendable (SessionScope) throws -> String?,
    describe: @escaping @Sendable (SessionScope) -> ReactorDescription,
    initial: @escaping @Sendable (SessionScope) throws -> [UInt8],
    encodeAction: @escaping @Sendable (any Sendable) throws -> [UInt8]?,
    decodeJournal: @escaping @Sendable ([AcceptedAction]) throws -> DecodedActions,
    check: @escaping @Sendable (StoredSample, SessionScope) throws -> Void,
    internalActions: InternalActionRules?,
    fold: @escaping @Sendable (Snapshot?, SessionScope) throws -> any SessionFold,
    verify: @escaping @Sendable (any SessionLog, SessionScope) throws -> RefoldReport,
    encodeFolded: @escaping @Sendable (any PipelineControl) -> [UInt8]?,
    encodeShown: @escaping @Sendable (any PipelineControl) throws -> [UInt8]
  ) {
    self.type = type
    self.hotPath = hotPath
    self.interruptionPolicy = interruptionPolicy
    self.hasPrivateValues = hasPrivateValues
    self.parameters = parameters
    self.schema = schema
    self.undescribedTypes = undescribedTypes
    self.declarationProblem = declarationProblem
    self.describe = describe
    self.initial = initial
    self.encodeAction = encodeAction
    self.decodeJournal = decodeJournal
    self.check = check
    self.internalActions = internalActions
    self.fold = fold
    self.verify = verify
    self.encodeFolded = encodeFolded
    self.encodeShown = encodeShown
  }
}

/// The rules for actions that clients cannot send, without the type of the actions.
struct InternalActionRules: Sendable {
  /// Rejects a client's body with an internal action; a body that cannot be decoded is not rejected.
  let check: @Sendable (_ body: [UInt8]) throws(ActionDecodingError) -> Void

  /// Removes the names of internal actions from the error of a body.
  let hide: @Sendable (ActionDecodingError, _ body: [UInt8]) -> ActionDecodingError
}

/// An instance of a reactor that is not connected to its session yet.
@usableFromInline
struct NewInstance {
  let pipeline: any PipelineControl

  /// Connects the reactor's streams.
  ///
  /// Called once, with the session that owns the pipeline.
  let connect: (LiveSession) -> Void

  @usableFromInline
  init(pipeline: any PipelineControl, connect: @escaping (LiveSession) -> Void) {
    self.pipeline = pipeline
    self.connect = connect
  }
}

/// The private values of decoded actions.
@usableFromInline
struct PrivateParts: Sendable {
  /// The actions without the values, which a retry of the request must equal.
  let remainder: [UInt8]

  /// The values of each action, as JSON.
  let values: [[[UInt8]]]
}

/// Actions that were decoded.
@usableFromInline
struct DecodedActions: Sendable {
  @usableFromInline
  enum Content: Sendable {
    /// An action without associated values, by its index in `ReactorType.plainActions`.
    case plain(Int)

    /// Any other action.
    case single(@Sendable (any PipelineControl, ActionReply) -> Void)

    /// An array: executes the action at an index, and returns its JSON.
    case array(
      execute: @Sendable (any PipelineControl, _ index: Int, ActionReply) -> Void,
      json: @Sendable (_ index: Int) -> [UInt8])
  }

  let count: Int
  @usableFromInline let content: Content

  /// The private values, or `nil` for most reactors.
  let privateParts: PrivateParts?

  @usableFromInline
  init(count: Int, _ content: Content, _ privateParts: PrivateParts? = nil) {
    self.count = count
    self.content = content
    self.privateParts = privateParts
  }

  /// Whether the request is an array, so that a failure names an index.
  var isArray: Bool {
    if case .array = content { true } else { false }
  }

  /// Rejects an array with more elements than a limit, before it is decoded.
  ///
  /// Counts the commas outside of strings and of nested values. A body that is not JSON can pass;
  /// its decoding fails.
  @usableFromInline
  static func checkCount(
    of body: [UInt8], limit: Int
  ) throws(ActionDecodingError) {
    var (depth, commas) = (0, 0)
    var (isInString, isEscaped) = (false, false)
    for byte in body {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ",") where depth == 1:
        commas += 1
        guard commas < limit else {
          throw .invalid(
            pointer: "", expected: [], detail: "The array has more than \(limit) actions.")
        }
      default: break
      }
    }
  }

  /// Returns whether a body is an array, provided that it is JSON.
  @usableFromInline
  static func isArray(_ body: [UInt8]) -> Bool {
    for byte in body where byte != 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D {
      return byte == UInt8(ascii: "[")
    }
    return false
  }
}
