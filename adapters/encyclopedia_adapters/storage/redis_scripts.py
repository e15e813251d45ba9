"""What Redis runs in one piece for the answer cache: how its keys lie, how an answer goes, and its question with it."""

from __future__ import annotations

_PARTS = """
local place, types = KEYS[1], {'library_docs', 'general_search', 'code_context', 'repository'}
local ends, kept = place .. ':ends', place .. ':kept'
local function used(type) return place .. ':used:' .. type end
local function answer(key) return place .. ':answer:' .. key end
local function question(key) return place .. ':question:' .. key end
local function changes(group) return place .. ':changes:' .. group end
local function last(group) return place .. ':last:' .. group end
local function numbers(group) return place .. ':generation:' .. group end
local function quiet(...)
  local found = redis.pcall(...)
  if type(found) == 'table' and found.err then return false end
  return found
end
"""
"""The keys, all with the one tag that the first argument holds; ``quiet`` is for what strangers may have planted."""

_WRITING = (
    _PARTS
    + """
local function sorted(name)
  local kind = redis.call('TYPE', name).ok
  if kind ~= 'zset' and kind ~= 'none' then redis.call('DEL', name) end
  return name
end
local function lasting(name, ms)
  if redis.call('PTTL', name) < tonumber(ms) then redis.call('PEXPIRE', name, ms) end
end
local function advance(group)
  local time = redis.call('TIME')
  local now, before = time[1] * 1000000 + time[2], tonumber(quiet('GET', numbers(group)) or 0) or 0
  local number = string.format('%.0f', before < now + 60000000 and math.max(now, before + 1) or now)
  redis.call('SET', numbers(group), number, 'KEEPTTL')
  return number
end
local function lose(key)
  local group = quiet('HGET', question(key), 'group')
  redis.call('DEL', question(key))
  if group then
    redis.call('ZREM', sorted(changes(group)), key)
    redis.call('ZREM', sorted(last(group)), key)
    advance(group)
  end
end
local function drop(key)
  local gone = redis.call('ZREM', ends, key)
  redis.call('ZREM', kept, key)
  for _, type in ipairs(types) do redis.call('ZREM', used(type), key) end
  redis.call('DEL', answer(key))
  lose(key)
  return gone
end
sorted(ends)
sorted(kept)
for _, type in ipairs(types) do sorted(used(type)) end
"""
)
"""A generation is the time of the server, so that one that was lost is never counted up to again."""

GET = (
    _PARTS
    + """
local longest, many, found = tonumber(ARGV[1]), tonumber(ARGV[2]), {}
for i = 3, 2 + many do
  local there, size = quiet('ZSCORE', ends, ARGV[i]), quiet('STRLEN', answer(ARGV[i]))
  if not there or size == 0 then found[#found + 1] = false
  elseif not size or size > longest then found[#found + 1] = 0
  else found[#found + 1] = redis.call('GET', answer(ARGV[i])) end
end
for i = 3 + many, #ARGV, 3 do quiet('ZADD', used(ARGV[i]), 'XX', 'GT', ARGV[i + 1], ARGV[i + 2]) end
return found
"""
)
"""For each key its text, nothing, or 0 for what is no answer. An answer that no set names is none: it was cleared."""

PUT = (
    _WRITING
    + """
local key, type, value, at, now, over, ms = unpack(ARGV, 1, 7)
local most, ahead = tonumber(ARGV[8]), ARGV[9]
redis.call('SET', answer(key), value, 'PX', ms)
redis.call('ZADD', ends, over, key)
redis.call('ZADD', kept, at, key)
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, 20)) do drop(gone) end
for _, other in ipairs(types) do
  if other ~= type then redis.call('ZREM', used(other), key) end
end
redis.call('ZADD', used(type), now, key)
for i = 10, #ARGV, 3 do redis.call('ZADD', used(ARGV[i]), 'XX', 'GT', ARGV[i + 1], ARGV[i + 2]) end
for _, name in ipairs({ends, kept, used(type)}) do lasting(name, ms) end
local many = math.min(redis.call('ZCARD', used(type)) - most, 1000)
if many > 0 then
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', used(type), '(' .. ahead, '+inf')) do
    local stored = redis.call('ZSCORE', kept, name)
    if stored and tonumber(stored) <= tonumber(ahead) then redis.call('ZADD', used(type), stored, name) end
  end
end
for _ = 1, many do
  local name = redis.call('ZREVRANGEBYSCORE', used(type), '+inf', '(' .. ahead, 'LIMIT', 0, 1)[1]
  drop(name or redis.call('ZRANGE', used(type), 0, 0)[1])
end
"""
)
"""What was stored in the future goes first, and a use in the future is none: a clock that is set back would keep both."""

DROP = (
    _WRITING
    + """
local gone = 0
for _, key in ipairs(ARGV) do gone = gone + drop(key) end
return gone
"""
)

CLEAR = (
    _WRITING
    + """
local type, some, gone = ARGV[1], tonumber(ARGV[2]), 0
local from = type ~= '' and used(type) or ends
local keys = redis.call('ZRANGE', from, 0, some - 1)
for _, key in ipairs(keys) do gone = gone + drop(key) end
if type == '' and #keys < some then
  redis.call('DEL', kept)
  for _, other in ipairs(types) do redis.call('DEL', used(other)) end
end
return {gone, #keys}
"""
)

FORGET = (
    _WRITING
    + """
local words, longest, gone = ARGV[1], tonumber(ARGV[2]), 0
for i = 3, #ARGV do
  local size = quiet('STRLEN', answer(ARGV[i]))
  if not size or size > longest or string.find(redis.call('GET', answer(ARGV[i])) or '', words, 1, true) then
    gone = gone + drop(ARGV[i])
  end
end
return gone
"""
)

ADD = (
    _WRITING
    + """
local group, key, text, checksum = unpack(ARGV, 1, 4)
local over, ms = redis.call('ZSCORE', ends, key), redis.call('PTTL', answer(key))
if not over or ms < 1 then return 0 end
local number = advance(group)
lose(key)
redis.call('HSET', question(key), 'group', group, 'text', text, 'vector ', checksum)
redis.call('PEXPIRE', question(key), ms)
redis.call('ZADD', sorted(changes(group)), number, key)
redis.call('ZADD', sorted(last(group)), over, key)
for _, name in ipairs({changes(group), last(group), numbers(group)}) do lasting(name, ms) end
return 1
"""
)

FILL = (
    _WRITING
    + """
local group, most = ARGV[1], tonumber(ARGV[2])
for i = 3, #ARGV, 4 do
  local key, text, field, vector = unpack(ARGV, i, i + 3)
  local name = question(key)
  if quiet('HGET', name, 'group') == group and redis.call('HGET', name, 'text') == text then
    redis.call('HSET', name, field, vector)
    for _, other in ipairs(redis.call('HLEN', name) > most and redis.call('HKEYS', name) or {}) do
      if string.sub(other, 1, 7) == 'vector ' and #other > 7 and other ~= field then redis.call('HDEL', name, other) end
    end
    redis.call('ZADD', sorted(changes(group)), advance(group), key)
  end
end
"""
)
"""Each embedder has its field, so that two of them do not write over one another; of too many the newest stays."""

LOSE = (
    _WRITING
    + """
for _, key in ipairs(ARGV) do lose(key) end
"""
)

ROWS = (
    _PARTS
    + """
local most, longest, found = tonumber(ARGV[1]), tonumber(ARGV[2]), {}
for i = 3, #ARGV do
  local name, row = question(ARGV[i]), {ARGV[i]}
  local count = quiet('HLEN', name)
  for _, field in ipairs(count and count <= most and redis.call('HKEYS', name) or {}) do
    if #field > 1000 or redis.call('HSTRLEN', name, field) > longest then
      row = {ARGV[i]}
      break
    end
    row[#row + 1] = field
    row[#row + 1] = redis.call('HGET', name, field)
  end
  if count ~= 0 then found[#found + 1] = row end
end
return found
"""
)
"""Rows of key, field, value, field, value …; of one that is none of ours the key alone, and of one that is gone nothing."""
