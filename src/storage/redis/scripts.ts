import { sha1 } from '../../core/secrets/digest.ts'

/** A script that Redis runs as one step, and remembers by the digest of its text. */
export interface Script {
  readonly text: string
  readonly digest: string
}

/** Commands that the account must have the right to run. */
export const COMMANDS =
  'eval, evalsha, time, llen, lindex, lrange, ltrim, lrem, rpush, pexpire, get, set, del, scan and unlink'

function script(text: string): Script {
  return { text, digest: sha1(text) }
}

/** The common part of both scripts about stored values; Lua's own formatting is not used for whole numbers beyond 2^31. */
const COMMON = `
local function whole(number) return string.format('%.0f', number) end

local function bucket(key)
  local kept = redis.call('GET', key)
  if not kept then return nil, 0 end
  local since, level = string.match(kept, '^(-?%d+) (%d+)$')
  return tonumber(since), tonumber(level)
end
`

/**
 * Judges every limit before it writes: then counts by all or by none, and moves what a clock that was set back has
 * left ahead. It does what throttling/counting.ts does. KEYS: one a limit. ARGV: the moment, or nothing where this server's
 * clock counts; 1 where it is to count; for each limit algorithm, limit, milliseconds of the window, cost.
 * Answers with the moment, and for each limit with allowed, remaining, wait (-1: never) and reset.
 *
 * A log is a list of moments, oldest first; a bucket is a text with its moment and its level. What counts no more
 * is gone by itself a second later, or an hour where another clock counts.
 */
export const HIT: Script = script(`${COMMON}
local at, slack = tonumber(ARGV[1]), 3600000
if not at then
  local time = redis.call('TIME')
  at, slack = time[1] * 1000 + math.floor(time[2] / 1000), 1000
end

local function moment(log, index)
  return tonumber(redis.call('LINDEX', log.key, index)) - log.ahead
end

local function readLog(log)
  local over = at - log.window
  log.size, log.first, log.ahead, log.oldest = redis.call('LLEN', log.key), 0, 0, nil
  if log.size > 0 then
    log.ahead = math.max(0, moment(log, -1) - at)
    log.oldest = moment(log, 0)
    if log.oldest <= over then
      local low, high = 1, log.size
      while low < high do
        local middle = math.floor((low + high) / 2)
        if moment(log, middle) > over then high = middle else low = middle + 1 end
      end
      log.first = low
      log.oldest = low < log.size and moment(log, low) or nil
    end
  end
  log.held = log.size - log.first
end

local function waitOfLog(log)
  local excess = log.held + log.cost - log.limit
  if excess <= 0 then return 0 end
  return moment(log, log.first + excess - 1) + log.window - at
end

local function push(log, values)
  for from = 1, #values, 1000 do
    redis.call('RPUSH', log.key, unpack(values, from, math.min(from + 999, #values)))
  end
end

local function moveLog(log)
  local moments = redis.call('LRANGE', log.key, log.first, -1)
  for i, each in ipairs(moments) do moments[i] = whole(each - log.ahead) end
  redis.call('DEL', log.key)
  push(log, moments)
end

local function writeLog(log, taken)
  if log.ahead > 0 then moveLog(log)
  elseif log.first > 0 then redis.call('LTRIM', log.key, log.first, -1) end
  if taken == 1 then redis.call('RPUSH', log.key, whole(at))
  elseif taken > 1 then
    local moments = {}
    for i = 1, taken do moments[i] = whole(at) end
    push(log, moments)
  end
  if log.held + taken > 0 then redis.call('PEXPIRE', log.key, whole(log.window + slack)) end
end

local function standingOfLog(log, taken)
  local oldest = log.oldest or (taken > 0 and at)
  return math.max(0, log.limit - log.held - taken), oldest and oldest + log.window - at or 0
end

local function readBucket(one)
  local since, level = bucket(one.key)
  one.kept = since ~= nil
  one.ahead = math.max(0, (since or at) - at)
  local drained = math.max(0, at - (since or at)) * one.limit
  one.level = math.max(0, math.min(level, one.limit * one.window) - drained)
end

local function waitOfBucket(one)
  local excess = one.level + (one.cost - one.limit) * one.window
  if excess <= 0 then return 0 end
  return math.ceil(excess / one.limit)
end

local function writeBucket(one, taken)
  local level = one.level + taken * one.window
  if level > 0 then
    redis.call('SET', one.key, whole(at) .. ' ' .. whole(level), 'PX', whole(one.window + slack))
  elseif one.kept then redis.call('DEL', one.key) end
end

local function standingOfBucket(one, taken)
  local level, room = one.level + taken * one.window, one.limit * one.window
  local remaining = math.max(0, math.floor((room - level) / one.window))
  if level == 0 or one.limit == 0 then return remaining, 0 end
  return remaining, math.ceil((level - (one.limit - remaining - 1) * one.window) / one.limit)
end

local function judge(one)
  if one.cost == 0 then return 0 end
  if one.limit == 0 then return one.window end
  if one.cost > one.limit then return -1 end
  return (one.isLog and waitOfLog or waitOfBucket)(one)
end

local limits, counts = {}, ARGV[2] == '1'
for i, key in ipairs(KEYS) do
  local one = {
    key = key,
    isLog = ARGV[4 * i - 1] == 'log',
    limit = tonumber(ARGV[4 * i]),
    window = tonumber(ARGV[4 * i + 1]),
    cost = tonumber(ARGV[4 * i + 2])
  }
  if one.isLog then readLog(one) else readBucket(one) end
  one.wait = judge(one)
  counts = counts and one.wait == 0
  limits[i] = one
end

local answer = { at }
for _, one in ipairs(limits) do
  local taken = counts and one.cost or 0
  if counts or one.ahead > 0 then (one.isLog and writeLog or writeBucket)(one, taken) end
  local remaining, reset = (one.isLog and standingOfLog or standingOfBucket)(one, taken)
  local size = #answer
  answer[size + 1] = one.wait == 0 and 1 or 0
  answer[size + 2] = remaining
  answer[size + 3] = one.wait
  answer[size + 4] = reset
end
return answer
`)

/** Withdraws a hit of a moment. KEYS: one for each limit. ARGV: the moment; for each limit its algorithm, cost, window. */
export const WITHDRAW: Script = script(`${COMMON}
for i, key in ipairs(KEYS) do
  local cost = tonumber(ARGV[3 * i])
  if cost > 0 and ARGV[3 * i - 1] == 'log' then redis.call('LREM', key, -cost, ARGV[1])
  elseif cost > 0 then
    local since, level = bucket(key)
    local rest = level - cost * tonumber(ARGV[3 * i + 1])
    if rest > 0 then redis.call('SET', key, whole(since) .. ' ' .. whole(rest), 'KEEPTTL')
    elseif since then redis.call('DEL', key) end
  end
end
`)

/**
 * Deletes some of the keys that fit a pattern. KEYS: their prefix, by which a cluster finds the server. ARGV: where to
 * go on, and the pattern. Answers with where to go on; 0: there are no more.
 */
export const CLEAR: Script = script(`
local found = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', 500)
if #found[2] > 0 then redis.call('UNLINK', unpack(found[2])) end
return found[1]
`)
