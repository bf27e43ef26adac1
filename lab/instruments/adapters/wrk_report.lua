-- wrk calls done() once, after its own summary: one JSON line with the counts it rounds or hides there.
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '{"duration_us":%d,"requests":%d,"bytes":%d,"errors":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}}\n',
    summary.duration, summary.requests, summary.bytes, e.connect, e.read, e.write, e.status, e.timeout
  ))
end
