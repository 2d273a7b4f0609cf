-- Sends each prepared request once. Arguments: the file of requests, the file of their ends (32-bit), how many there
-- are, and the number of connections. Prints the result as JSON in the last line.
local ffi = require('ffi')
ffi.cdef [[
  typedef struct { long seconds; long microseconds; } bench_time;
  int gettimeofday(bench_time *time, void *zone);
]]

local threads = {}
local time = ffi.new('bench_time')

local function now()
  ffi.C.gettimeofday(time, nil)
  return tonumber(time.seconds) * 1e6 + tonumber(time.microseconds)
end

local function content(path)
  local file = assert(io.open(path, 'rb'))
  local bytes = file:read('*a')
  file:close()
  return bytes
end

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  requests = content(args[1])
  -- The string must live as long as the pointer into it.
  endBytes = content(args[2])
  ends = ffi.cast('const uint32_t *', endBytes)
  count, connections = tonumber(args[3]), tonumber(args[4])
  position, start, finished = 0, 0, 0
  verified = false
end

function request()
  if position < count then
    local from = position == 0 and 0 or ends[position - 1]
    local text = requests:sub(from + 1, ends[position])
    -- wrk parses one request before the first connection and does not send it.
    if not verified then
      verified = true
      return text
    end
    if position == 0 then start = now() end
    position = position + 1
    return text
  end
  -- A connection asks again when its last vote is answered. It gets a request that never ends, so that no vote is
  -- without an answer at the end, and the run ends when every connection has come here.
  finished = finished + 1
  if finished == connections then
    took = now() - start
    wrk.thread:stop()
    -- wrk's main thread sleeps for the whole duration unless a signal ends it, which wrk.ts sends.
    io.stderr:write('finished\n')
  end
  return 'P'
end

function done(summary, latency)
  local thread, errors = threads[1], summary.errors
  io.write(string.format(
    '\n{"answered":%d,"rejected":%d,"broken":%d,"took":%.0f,"p50":%.0f,"p99":%.0f}\n',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    thread:get('took') or 0, latency:percentile(50), latency:percentile(99)))
end
