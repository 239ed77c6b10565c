import { type Channel, channel } from 'node:diagnostics_channel'

/** Channels that other programs may subscribe to. Checking for a subscriber costs a nanosecond. */
export const requestChannels: Readonly<Record<'start' | 'error' | 'end', Channel>> = {
  start: channel('colophon:request:start'),
  error: channel('colophon:request:error'),
  end: channel('colophon:request:end'),
}
