import ReactorService
import Testing

struct FilePermissionsTests {
  @Test(arguments: [("0660", 0o660), ("600", 0o600), ("0777", 0o777), ("000", 0)])
  func `permissions are parsed as octal`(_ text: String, _ mode: Int) throws {
    let permissions = try #require(FilePermissions(text))
    #expect(permissions.mode == UInt32(mode))
    #expect(FilePermissions(permissions.description) == permissions)
  }

  @Test(arguments: ["", "0", "66", "1660", "0680", "rw-", "06600", "-660", "0o660"])
  func `invalid permissions are rejected`(_ text: String) {
    #expect(FilePermissions(text) == nil)
  }
}
