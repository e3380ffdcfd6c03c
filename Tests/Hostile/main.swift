import Foundation

// Runs each kind of abusive client for some seconds beside a hundred well-behaved ones, against the
// release daemon on the loopback interface, and compares the response times of the latter with those
// of an undisturbed daemon. Exits with 1 if `/healthz` or the well-behaved clients exceed the bound.
//
//   Hostile [KIND...]         HOSTILE_ROUNDS (2) windows of HOSTILE_SECONDS (2) without and with each
//                             kind, HOSTILE_BOUND (50) milliseconds that it may add to the p99

let all =
  AbusiveClient.connections + AbusiveClient.texts + AbusiveClient.documents
  + AbusiveClient.effects + AbusiveClient.streams
let names = CommandLine.arguments.dropFirst()
if let unknown = names.first(where: { name in !all.contains { $0.name == name } }) {
  print(
    "There is no kind \(unknown). These are known:\n  \(all.map(\.name).joined(separator: " "))")
  exit(64)
}

// Other work on the machine should not delay the daemon; without the permission it does.
_ = nice(-15)

do {
  let campaign = try Campaign()
  let isSuccess = try campaign.run(all.filter { names.isEmpty || names.contains($0.name) })
  exit(isSuccess ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("hostile: \(error)\n".utf8))
  exit(70)
}
