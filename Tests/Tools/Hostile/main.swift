import Foundation
import Glibc

// Runs each kind of abusive client for some seconds beside a hundred well-behaved ones, against the
// release daemon on the loopback interface, and compares the response times of the latter with those
// of an undisturbed daemon. Exits with 1 if probes, the well-behaved clients or the memory exceed their
// bounds.
//
//   Hostile [KIND...]         HOSTILE_ROUNDS (2) windows of HOSTILE_SECONDS (2) without and with each
//                             kind, HOSTILE_BOUND (50) milliseconds and HOSTILE_RATIO (3) times the
//                             quiet one of the p99 beside it, HOSTILE_MEMORY (768) MiB of the daemon's
//                             largest resident memory, a tenth more than before HOSTILE_LEAVING (15)
//                             seconds after the kind, and 20 bytes of the store per byte sent; the
//                             stores are in HOSTILE_FOLDER (/dev/shm)
//
// The stores are in memory, because the sync of a disk stalls for a hundred milliseconds now and then,
// with and without abuse.

let all = AbusiveClient.all
let names = CommandLine.arguments.dropFirst()
if let unknown = names.first(where: { name in !all.contains { $0.name == name } }) {
  print(
    "There is no kind \(unknown). These are known:\n  \(all.map(\.name).joined(separator: " "))")
  exit(64)
}

let folder = ProcessInfo.processInfo.environment["HOSTILE_FOLDER"] ?? "/dev/shm"
if access(folder, W_OK) == 0 { setenv("TMPDIR", folder, 1) }

do {
  let campaign = try Campaign()
  let isSuccess = try campaign.run(all.filter { names.isEmpty || names.contains($0.name) })
  exit(isSuccess ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("hostile: \(error)\n".utf8))
  exit(70)
}
