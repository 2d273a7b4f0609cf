-- Stores the times of the own requests in place of blocks. KEYS: one per key. ARGV: time (ms, or 0 for the server's),
-- holder, how long to store (ms), then per key the ages of the own requests (ms).

local now = tonumber(ARGV[1])
if now == 0 then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
for index, key in ipairs(KEYS) do
  local times = { '0', '0' }
  for text in string.gmatch(ARGV[3 + index], '%S+') do
    times[#times + 1] = string.format('%.0f', math.ceil(now - tonumber(text)))
  end
  redis.call('HSET', key, ARGV[2], table.concat(times, ' '))
  redis.call('PEXPIRE', key, tonumber(ARGV[3]))
end
