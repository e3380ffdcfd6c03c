internal import ReactorHost
internal import ReactorLog

/// The parts of responses about sessions.
extension MessageWriter {
  mutating func write(_ state: CommittedState) {
    write(state.cursor)
    write(state.json)
  }

  mutating func write(_ image: SessionImage) {
    write(image.current)
    write(image.parameters) { $0.write($1) }
    write(Int(image.lastActiveAt.milliseconds))
    write(image.presence)
    write(image.isStored)
  }

  mutating func write(_ page: PresencePage) {
    write(page.presence.count)
    write(all: page.presence.subscribers) { writer, subscriber in
      writer.write(subscriber.name)
      writer.write(subscriber.streams)
    }
    write(page.more)
  }

  mutating func write(_ effect: RunningEffect) {
    write(effect.id)
    write(effect.action) { $0.write($1) }
    write(Int(effect.startedAt.milliseconds))
    write(effect.progress) { $0.write($1.bitPattern) }
  }

  mutating func write(_ summary: SessionSummary) {
    write(summary.id)
    write(summary.cursor)
    write(summary.subscribers)
    write(summary.effects)
    write(Int(summary.lastActiveAt.milliseconds))
  }

  mutating func write(_ timer: StoredTimer) {
    write(timer.id)
    write(Int(timer.due.milliseconds))
    write(timer.action)
    write(timer.period) { $0.write(Int($1)) }
    write(timer.catchesUp)
  }

  mutating func write(_ entry: LogEntry) {
    write(entry.version)
    write(Int(entry.at.milliseconds))
    write(entry.action) { $0.write($1) }
    write(entry.global) { writer, mark in
      writer.write(mark.name)
      writer.write(mark.revision)
    }
    write(entry.mutation)
    write(entry.by) { $0.write($1) }
  }
}

extension MessageReader {
  mutating func state() throws(MessageError) -> CommittedState {
    CommittedState(cursor: try cursor(), json: try data())
  }

  mutating func time() throws(MessageError) -> Timestamp {
    Timestamp(milliseconds: try milliseconds())
  }

  mutating func image() throws(MessageError) -> SessionImage {
    SessionImage(
      current: try state(), parameters: try optionalData(), lastActiveAt: try time(),
      presence: try presencePage(), isStored: try bool())
  }

  mutating func presencePage() throws(MessageError) -> PresencePage {
    let count = try self.count()
    let subscribers = try all { (reader) throws(MessageError) in
      Presence.Subscriber(name: try reader.text(), streams: try reader.count())
    }
    return PresencePage(Presence(count: count, subscribers: subscribers), more: try self.count())
  }

  mutating func effect() throws(MessageError) -> RunningEffect {
    RunningEffect(
      id: try text(), action: try optionalData(), startedAt: try time(),
      progress: try optional { (reader) throws(MessageError) in
        Double(bitPattern: try reader.number())
      })
  }

  mutating func activity() throws(MessageError) -> SessionActivity {
    SessionActivity(
      running: try count(),
      progress: try optional { (reader) throws(MessageError) in
        Double(bitPattern: try reader.number())
      })
  }

  mutating func summary() throws(MessageError) -> SessionSummary {
    SessionSummary(
      id: try text(), cursor: try cursor(), subscribers: try count(), effects: try count(),
      lastActiveAt: try time())
  }

  mutating func timer() throws(MessageError) -> StoredTimer {
    StoredTimer(
      id: try text(), due: try time(), action: try data(),
      period: try optionalInteger().map { Int64($0) }, catchesUp: try bool())
  }

  mutating func entry() throws(MessageError) -> LogEntry {
    let version = try version()
    let time = try time()
    let action = try optionalData()
    let global = try optional { (reader) throws(MessageError) in
      LogEntry.GlobalMark(name: try reader.text(), revision: try reader.number())
    }
    return LogEntry(
      version: version, at: time, action: action, global: global, mutation: try data(),
      by: try optionalText())
  }
}
