-- The requests of wrk to a cluster: actions of sessions at random, each thread at one node.
-- Arguments: the number of sessions, the number of parts that they are divided into, one for each thread
-- in turn, the beginning of their ids, and the ports of the nodes.
local threads = 0

function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init(arguments)
  local port = arguments[4 + (number - 1) % (#arguments - 3)]
  wrk.thread.addr = wrk.lookup("127.0.0.1", port)[1]
  math.randomseed(number)
  local headers = { ["Content-Type"] = "application/json", ["Host"] = "127.0.0.1" }
  requests = {}
  local parts = tonumber(arguments[2])
  for session = 1 + number % parts, tonumber(arguments[1]), parts do
    local path = "/v1/reactors/counter/sessions/" .. arguments[3] .. "-" .. session .. "/actions"
    table.insert(requests, wrk.format("POST", path, headers, '"increase"'))
  end
end

function request()
  return requests[math.random(#requests)]
end
