-- Reserves requests of several keys, as reserve does for a database, with the clock of the server.
--
-- A hash per key has a field per process: until when its block may be used, its size, and the times of the requests
-- that were counted, separated by spaces (ms). The hash KEYS[1] has the run of the server that has counted until now:
-- a server that was restarted, or another one that replaced it, may have lost what was counted, so all requests count
-- as used until what was answered before has left the window.
--
-- KEYS: that hash, then one per key. ARGV: time (ms, or 0 for the server's), holder, limit, window (ms), largest block,
-- time to use a block (ms), shared part, greatest difference of clocks (ms); then per key the requests that wait and the
-- ages of the own ones (ms).
-- Returns until when requests are unknown, as an age, then per key the size of the block and the ages of the requests
-- of others, as text

local function integer(value) return string.format('%.0f', value) end
local now = tonumber(ARGV[1])
if now == 0 then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local holder, limit, window, largest = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local usable, sharedPart, skew = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local known = redis.call('HMGET', KEYS[1], 'run', 'unknown_until')
local unknownUntil = tonumber(known[2] or '0')
if known[1] ~= run or unknownUntil > now + usable + window then
  unknownUntil = now + usable + window
  redis.call('HSET', KEYS[1], 'run', run, 'unknown_until', integer(unknownUntil))
end

local function reserve(key, wanted, ages)
  local others = {}
  local stored = redis.call('HGETALL', key)
  for field = 1, #stored, 2 do
    if stored[field] ~= holder then
      local times, isFuture, last = {}, false, 0
      for text in string.gmatch(stored[field + 1], '%S+') do times[#times + 1] = tonumber(text) end
      if times[2] > 0 and times[1] > now + usable + skew then
        times[1], isFuture = now + usable, true
      end
      for at = 3, #times do
        if times[at] > now + skew then isFuture = true end
      end
      for at = 3, #times do
        if isFuture then times[at] = math.min(times[at], now) end
        if times[at] > now - window then others[#others + 1] = integer(now - times[at]) end
        last = math.max(last, times[at])
      end
      if times[2] > 0 then
        last = math.max(last, times[1])
        if times[1] > now - window then
          for _ = 1, times[2] do others[#others + 1] = integer(now - times[1]) end
        end
      end
      if last <= now - window then
        redis.call('HDEL', key, stored[field])
      elseif isFuture then
        for at = 1, #times do times[at] = integer(times[at]) end
        redis.call('HSET', key, stored[field], table.concat(times, ' '))
      end
    end
  end
  local available = limit - #ages - #others
  local share = available
  if #others > 0 then share = math.floor(available * sharedPart) end
  local size = math.max(0, math.min(available, math.max(wanted, math.min(largest, share))))
  if size > 0 then
    local times = { integer(now + usable), integer(size) }
    for _, age in ipairs(ages) do times[#times + 1] = integer(math.ceil(now - age)) end
    redis.call('HSET', key, holder, table.concat(times, ' '))
    redis.call('PEXPIRE', key, usable + window + skew)
  end
  return integer(size) .. ' ' .. table.concat(others, ' ')
end

local results = { integer(now - unknownUntil) }
for index = 2, #KEYS do
  local ages, wanted = {}, nil
  for text in string.gmatch(ARGV[7 + index], '%S+') do
    if wanted == nil then wanted = tonumber(text) else ages[#ages + 1] = tonumber(text) end
  end
  if now < unknownUntil then results[index] = '0 '
  else results[index] = reserve(KEYS[index], wanted, ages) end
end
return results
