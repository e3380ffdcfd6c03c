// The tests of hosted reactors use both.
@_exported public import ReactorTesting
