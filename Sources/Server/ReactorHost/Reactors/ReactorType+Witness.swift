public import ReactorCoding
public import ReactorCore
internal import ReactorLog

/// These functions are inlinable, so that the module that registers the reactor specializes them,
/// see ``ReactorWitness``.
extension ReactorType {
  @usableFromInline typealias Core = Pipeline<R.Action, R.Mutation, R.State>

  /// Creates the functions that every action or every new session calls.
  @inlinable
  func hotPath() -> ReactorWitness.HotPath {
    ReactorWitness.HotPath(
      instantiate: { [self] state, scope in
        // Cast only an existing state: a cast takes longer than the check.
        try instantiate(from: state == nil ? nil : state as? R.State, maker(scope))
      },
      findPlain: { [self] body in findPlain(body) },
      decode: { [self] body, limit throws(ActionDecodingError) in
        try decodeActions(body, limit: limit)
      },
      executePlain: { [self] pipeline, index, reply in
        let plain = plainActions[index]
        Self.execute(plain.value, json: plain.json, for: reply, at: 0, in: pipeline)
      },
      executeIfIdle: { Self.core(of: $0).executeIfIdle($1) },
      enqueue: { Self.core(of: $0).enqueue(bound: $1, $2) })
  }

  /// Restores the type of a pipeline.
  @inlinable
  static func core(of pipeline: any PipelineControl) -> Core {
    // Proof: a session passes its pipeline to the witness only that created it, in `instantiate`.
    unsafe unsafeDowncast(pipeline, to: Core.self)
  }

  @inlinable
  func instantiate(from state: R.State?, _ make: () -> R) -> NewInstance {
    let instance = make()
    let pipeline = instance.retainingPipeline
    // `make` can return an instance of a subclass that follows its mutations although `R` does not.
    let mayFollow = follows || type(of: instance) != R.self
    let elements = hasPlainState ? EncodedElements() : nil
    return NewInstance(pipeline: pipeline) { [self] session in
      let context = SessionSerialContext(session)
      context.joining {
        guard !session.checksMutations else {
          return connectChecked(
            pipeline, from: state, in: context, of: session, mayFollow: mayFollow,
            reusing: elements)
        }
        pipeline.connect(
          from: state, in: context, quota: session.effectQuota, mayFollow: mayFollow,
          isPaused: session.isPaused
        ) { [self] in report($0, in: context, reusing: elements) }
      }
    }
  }

  @inlinable
  func findPlain(_ body: [UInt8]) -> DecodedActions? {
    plainActions.firstIndex { $0.json == body }.map { DecodedActions(count: 1, .plain($0)) }
  }

  @inlinable
  func decodeActions(
    _ body: [UInt8], limit: Int
  ) throws(ActionDecodingError) -> DecodedActions {
    if let frequentActions, let (action, json) = frequentActions.read(body) {
      return DecodedActions(
        count: 1,
        .single { pipeline, reply in
          Self.execute(action, json: json, for: reply, at: 0, in: pipeline)
        })
    }
    guard DecodedActions.isArray(body) else {
      let action = try decode(R.Action.self, from: body)
      return DecodedActions(
        count: 1,
        .single { [self] pipeline, reply in
          Self.execute(action, json: text(of: action), for: reply, at: 0, in: pipeline)
        }, privateParts(of: [action]))
    }
    try DecodedActions.checkCount(of: body, limit: limit)
    let actions = try decode([R.Action].self, from: body)
    return DecodedActions(
      count: actions.count,
      .array(
        execute: { [self] pipeline, index, reply in
          let action = actions[index]
          Self.execute(action, json: text(of: action), for: reply, at: index, in: pipeline)
        },
        json: { [self] in text(of: actions[$0]) }), privateParts(of: actions))
  }

  @inlinable
  static func execute(
    _ action: R.Action, json: [UInt8], for reply: ActionReply, at index: Int,
    in pipeline: any PipelineControl
  ) {
    let effect = ActionEffect(reply, index: index, json: json)
    let session = reply.session
    let marking = session.marking
    let mark = session.marks.beginAction(json, of: session.key, in: marking)
    if mark.isRejected {
      effect.fail(ActionCrashedError())
    } else {
      effect.begin()
      effect.end(core(of: pipeline).executeInContext(action, as: effect))
      session.marks.endAction(mark, in: marking)
    }
    reply.didStart(effect)
  }

  /// Passes a report of the pipeline to the session, as JSON.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - context: The session's context.
  ///   - elements: The elements of the last State, or `nil` unless the State is a `PlainState`.
  /// - Returns: The error that rejects a mutation, or `nil` for none.
  @inlinable
  func report(
    _ report: PipelineReport<R.Mutation, R.State>, in context: SessionSerialContext,
    reusing elements: EncodedElements?
  ) -> (any Error)? {
    switch report {
    case .connected(let shown):
      context.session?.didConnect(Result { try encode(shown) })
    case .reduced(let transition):
      // Use the session that the action retains, which avoids loading the weak reference.
      if let action = ActionEffect.cause(of: transition.origin) {
        return commit(transition, by: action, in: action.reply.session, reusing: elements)
      }
      if let session = context.session {
        return commit(transition, by: nil, in: session, reusing: elements)
      }
    case .failed(let error, let stage, let effect):
      context.session?.didFail(error, in: stage, of: effect)
    case .turnBegan(let effect):
      guard let session = context.session else { break }
      session.marks.beginTurn(
        for: (effect as? ActionEffect)?.json, of: session.key, in: session.marking)
    case .turnEnded: context.session?.didEndTurn()
    }
    return nil
  }

  /// Passes a mutation and the state after it to the session, as JSON.
  ///
  /// - Returns: The error that rejects the mutation, or `nil` for none.
  @inlinable
  func commit(
    _ transition: Transition<R.Mutation, R.State>, by action: ActionEffect?,
    in session: LiveSession, reusing elements: EncodedElements?
  ) -> (any Error)? {
    do {
      let coder = JSONCoder.Series(
        in: spareBuffers, depthLimit: JSONDocument.embeddedDepthLimit)
      let mutation =
        try knownMutations?.text(
          of: transition.mutation, orEncode: { try coder.encode($0) })
        ?? coder.encode(transition.mutation)
      let skipsState = session.meter.skips(
        mutationBytes: mutation.count, mutationDepth: coder.depth, limit: session.stateLimit)
      var state: [UInt8]?
      if let elements, !skipsState {
        state = try encode(transition.shown, by: coder, reusing: elements, in: session)
      } else if !skipsState {
        state = try coder.encode(transition.shown)
      }
      let depth = coder.depth
      coder.end(keepingBuffersIn: spareBuffers)
      if let state,
        let error = session.meter.measure(state, depth: depth, limit: session.stateLimit)
      {
        elements?.removeAll()
        session.meter.setRetained(0)
        return error
      }
      session.didReduce(mutation, to: state, by: action, from: transition.origin)
    } catch let error as JSONDepthError {
      return StateTooDeepError(limit: error.limit)
    } catch {
      session.didFailToEncode(error)
    }
    return nil
  }
}

extension ReactorType {
  /// Encodes a State, of whose elements the session retains the text, and checks it in a session whose mutations
  /// are checked.
  @usableFromInline
  func encode(
    _ state: R.State, by coder: borrowing JSONCoder.Series, reusing elements: EncodedElements,
    in session: LiveSession
  ) throws -> [UInt8] {
    let text = try coder.encode(state, reusing: elements)
    session.meter.setRetained(elements.byteCount)
    guard session.checksMutations else { return text }
    let whole = try coder.encode(state)
    guard let place = JSONDifference.first(between: text, and: whole) else { return text }
    session.didFindStale(place)
    return whole
  }
}

/// The functions that are called rarely, so that their lookup of types at run time is acceptable.
extension ReactorType {
  func witness(_ hotPath: ReactorWitness.HotPath) -> ReactorWitness {
    ReactorWitness(
      type: R.self, hotPath: hotPath, interruptionPolicy: interruptionPolicy,
      hasPrivateValues: hasPrivateValues, parameters: parameters,
      schema: { [self] in schema }, undescribedTypes: { [self] in undescribedTypes },
      declarationProblem: { [self] scope in
        if let problem = defaultsProblem ?? privateValueProblem { return problem }
        guard R.self is any DeclarationChecked.Type else { return nil }
        return (try maker(scope)() as? any DeclarationChecked)?.declarationProblem
      },
      describe: { [self] in describe($0) },
      initial: { [self] in try encode(initial($0)) },
      encodeAction: { [self] in try ($0 as? R.Action).map { try encode($0) } },
      decodeJournal: { [self] in try decode(journal: $0) },
      check: { [self] in try check($0, $1) },
      internalActions: internalActions.map { rules in
        InternalActionRules(
          check: { [self] body throws(ActionDecodingError) in try check(body, by: rules) },
          hide: { rules.hide(in: $0, of: $1) })
      },
      fold: { [self] in try ReactorFold(self, from: $0, maker($1.folding)()) },
      verify: { [self] log, scope in
        var verification = LogVerification(self, log, try maker(scope.folding))
        return try verification.verify()
      },
      encodeFolded: { [self] in
        Self.core(of: $0).foldedInContext.flatMap { try? encode($0) }
      },
      encodeShown: { [self] in try encode(Self.core(of: $0).currentState) })
  }

  /// The first error in the defaults that the reactor's types declare.
  private var defaultsProblem: String? {
    JSONSchema.defaultsProblem(in: R.State.self) ?? JSONSchema.defaultsProblem(in: R.Mutation.self)
      ?? JSONSchema.defaultsProblem(in: R.Action.self) ?? parameters?.defaultsProblem
  }

  /// The types of members that the schemas cannot describe, each once.
  private var undescribedTypes: [String] {
    var types = JSONSchema.undescribedTypes(in: R.State.self)
    types += JSONSchema.undescribedTypes(in: R.Mutation.self)
    types += JSONSchema.undescribedTypes(in: R.Action.self)
    types += parameters?.undescribedTypes ?? []
    return Set(types).sorted()
  }

  private func check(_ sample: StoredSample, _ scope: SessionScope) throws {
    switch sample.part {
    case .parameters: _ = try maker(scope)
    case .snapshot:
      _ = try decode(
        Snapshot(version: sample.version, state: sample.json, schema: ""), try maker(scope))
    case .mutation:
      _ = try decode(
        LogEntry(
          version: sample.version, at: Timestamp(milliseconds: 0), action: nil, global: nil,
          mutation: sample.json, by: nil))
    case .action, .timer:
      // The sample of an action in the journal does not have its private values.
      let values = PrivateValues(inJSON: [])
      do {
        _ = try values.separated { try decode(stored: sample.json) }
      } catch {
        guard values.isMissing else { throw error }
      }
    }
  }

  private func check(
    _ body: [UInt8], by rules: InternalActions<R.Action>
  ) throws(ActionDecodingError) {
    guard rules.mayBe(in: body) else { return }
    let actions =
      DecodedActions.isArray(body)
      ? try? decode([R.Action].self, from: body)
      : (try? decode(R.Action.self, from: body)).map { [$0] }
    for action in actions ?? [] { try rules.check(action, text(of: action)) }
  }

  private func decode(journal: [AcceptedAction]) throws -> DecodedActions {
    let actions = try journal.map { try decode(stored: $0) }
    // A timer of a release without private values may have one.
    let texts = hasPrivateValues ? actions.map { text(of: $0) } : journal.map(\.action)
    return DecodedActions(
      count: actions.count,
      .array(
        execute: { pipeline, index, reply in
          Self.execute(
            actions[index], json: texts[index], for: reply, at: journal[index].id.place,
            in: pipeline)
        },
        json: { texts[$0] }), privateParts(of: actions))
  }
}
