-- wrk -s replay.lua URL -- REQUESTS_FILE [HOST]
-- REQUESTS_FILE: one request a line, "METHOD<TAB>path<TAB>token<TAB>body" (token and body may be empty), sent in turns.
-- Prints what ../independent/wrk/replay.lua prints.
local reqs, n, i = {}, 0, 0
function init(args)
  local host = args[2] or "bench.test"
  for line in io.lines(args[1]) do
    local method, path, token, body = line:match("^(%u+)\t([^\t]*)\t([^\t]*)\t(.*)$")
    local h = { ["Host"] = host, ["Accept"] = "application/json" }
    if #token > 0 then h["Authorization"] = "Token " .. token end
    if #body > 0 then h["Content-Type"] = "application/json" else body = nil end
    n = n + 1
    reqs[n] = wrk.format(method, path, h, body)
  end
end
function request()
  i = i + 1
  if i > n then i = 1 end
  return reqs[i]
end
function done(summary, latency, requests)
  io.write(string.format('\n@@{"requests":%d,"duration_us":%d,"bytes":%d,"status_errors":%d,"socket_errors":%d,"p50":%d,"p90":%d,"p99":%d,"max":%d}\n',
    summary.requests, summary.duration, summary.bytes, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50), latency:percentile(90), latency:percentile(99), latency.max))
end
