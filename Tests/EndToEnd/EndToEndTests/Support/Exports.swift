// Exported, because nearly every file of these tests waits for a condition.
@_exported import TestSupport
