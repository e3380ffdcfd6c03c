import ReactorCluster
import ReactorLog

/// The promises that hold after each run.
extension Simulation {
  /// Checks that each message of a session follows the message that it expects, without forks.
  func checkLog() {
    for (key, messages) in log.messages {
      var last = 0
      for message in messages {
        if message.batch.expected != last {
          violations.append("log fork of \(key) at \(message.sequence)")
        }
        last = message.sequence
      }
    }
  }

  /// Checks that each acknowledged mutation is stored once, at the version of its response, and
  /// that no mutation of a failed request is stored.
  func checkResponses() {
    var versions: [UInt64: [Int]] = [:]
    for messages in log.messages.values {
      var version = 0
      for message in messages where !message.batch.isVoid {
        for entry in message.batch.entries {
          version += 1
          versions[entry.payload, default: []].append(version)
        }
      }
    }
    for (payload, request) in requests.sorted(by: { $0.key < $1.key }) {
      let stored = versions[payload] ?? []
      if stored.count > 1 { violations.append("\(payload) is stored at \(stored)") }
      switch request.result {
      case .response(let bytes, _):
        let version = Int(SimulatedNode.decode(bytes))
        if stored != [version] {
          violations.append("\(payload): response \(version), stored at \(stored)")
        }
      case .unavailable:
        if !stored.isEmpty { violations.append("\(payload) failed and is stored at \(stored)") }
      case .unknown: break
      case nil:
        // The client of a process that is killed has no response.
        if request.edge.isRunning { violations.append("\(payload) has no response") }
      }
    }
  }

  /// Checks that the nodes that a node knew, and that have not failed, have the value that all have
  /// confirmed.
  ///
  /// A node that has joined in the meantime reads it when it is ready.
  func checkGlobal(_ value: Int, setAt node: SimulatedNode, knowing others: Set<NodeID>) {
    for other in nodes where other.isRunning && other.global < value {
      let id = other.machine.node
      guard others.contains(id), node.machine.membership.isAlive(id) else { continue }
      violations.append("\(other.machine.node) has confirmed \(value) and has \(other.global)")
    }
  }

  /// Checks that each subscribed node is alive: the failure of a node ends its subscriptions.
  func checkSubscribers() {
    for node in nodes where node.isRunning {
      for (subscriber, _) in node.subscribed.takeDigests()
      where !node.machine.isAlive(subscriber) {
        violations.append("\(node.machine.node) has the dead subscriber \(subscriber)")
      }
    }
  }

  /// Checks that each open subscription is known at its owner with its number, and no other one.
  func checkSubscriptions() {
    for node in nodes where node.isRunning {
      let id = node.machine.node
      for owner in nodes where owner.isRunning && owner !== node {
        for key in keys {
          let opened = node.subscriptions.opened(key)
          let expected = opened?.owner == owner.machine.node ? opened?.number : nil
          let known = owner.subscribed.number(of: key, for: id)
          guard known != expected else { continue }
          violations.append(
            "\(owner.machine.node) has the subscription \(known ?? 0) of \(id) to \(key), not "
              + "\(expected ?? 0)")
        }
      }
    }
  }

  /// Checks that all nodes have the last value, including those that missed the request to apply
  /// it.
  func checkGlobals() {
    for node in nodes where node.isRunning && node.global != log.global {
      violations.append("\(node.machine.node) has the global \(node.global), not \(log.global)")
    }
  }

  /// Checks that each session has one owner, and that each subscription has the last version.
  func checkOwners() {
    for key in keys {
      let owners = nodes.filter { $0.isRunning && $0.sessions[key] != nil }
      if owners.count != 1 {
        violations.append("\(key) has the owners \(owners.map(\.machine.node))")
      }
      let version = (log.messages[key] ?? []).filter { !$0.batch.isVoid }
        .reduce(0) { $0 + $1.batch.entries.count }
      for node in nodes where node.isRunning {
        let shown = node.subscriptions.cursor(of: key)?.version
        if shown != version {
          violations.append(
            "\(node.machine.node) shows \(key) at \(shown.map(String.init) ?? "none"), not \(version)"
          )
        }
      }
    }
  }
}
