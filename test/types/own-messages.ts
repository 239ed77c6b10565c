// Sentences of an application: keys, parameters and holes are known to the compiler.
import { type Message, defineMessages } from 'colophon'
import { type Equal, expectType } from './expect.ts'

export function sentences(): void {
  const say = defineMessages({
    en: {
      plain: 'Closed.',
      at: '{doctor} at {time}.',
      many: { one: 'One.', other: '{count} left.' },
    },
    de: { plain: 'Zu.', at: '{time}: {doctor}.', many: '{count} übrig.' },
  })
  expectType<Equal<ReturnType<typeof say>, Message>>()
  say('plain')
  say('at', { doctor: say('plain'), time: 9 })
  say('many', { count: 2 })
  // @ts-expect-error no such sentence
  say('plan')
  // @ts-expect-error its parameters
  say('at')
  // @ts-expect-error all of them
  say('at', { doctor: 'Ada' })
  // @ts-expect-error no others
  say('at', { doctor: 'Ada', time: 9, place: 'here' })
  // @ts-expect-error a number, by which the form is chosen
  say('many', { count: '2' })
  // @ts-expect-error German has a hole
  defineMessages({ en: { a: 'A', b: 'B' }, de: { a: 'A' } })
}
