import { type Channel, channel } from 'node:diagnostics_channel'

/** What programs beside the application may subscribe to. Looking whether one has costs a nanosecond. */
export const requestChannels: Readonly<Record<'start' | 'error' | 'end', Channel>> = {
  start: channel('colophon:request:start'),
  error: channel('colophon:request:error'),
  end: channel('colophon:request:end'),
}
