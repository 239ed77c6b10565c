import { expect, test } from 'vitest'
import { complaintsAbout } from '../../scripts/prose.ts'

const words = (count: number): string =>
  Array.from({ length: count }, (_, at) => `word${at}`).join(' ')

test.each([
  ['Each entry is a door.', 'page.md:1:17 Name the concept'],
  ['The house is [here](a.md).', 'page.md:1:5 Name the concept'],
  ['An error that nobody sees.', 'page.md:1:15 Name the person'],
  ['It has two editions.', 'page.md:1:12 Call it a version'],
  ['What is kept is a row.', 'page.md:1:1 Begin with'],
  ['It is `a`. What it does matters.', 'page.md:1:10 Begin with'],
  ['A date that is none is refused.', 'page.md:1:13 Say'],
  ['The the row.', 'page.md:1:5 "the" is repeated'],
  ['It stays outside of the list.', 'page.md:1:10 "outside of" is wordy'],
  [`${words(41)}.`, 'page.md:1:1 Exceeds the maximum word count of 40'],
])('%s is complained about', async (text, complaint) => {
  const found = await complaintsAbout('page.md', text)
  expect(found).toEqual([expect.stringContaining(complaint)])
})

test.each([
  'Is there space? What is kept?',
  '## What is kept',
  'See [test/house](test/house.ts), and the file `door.ts`.',
  'It is `null` where there is none.',
  '```\nnobody\n```',
  `${words(40)}.`,
])('%s is fine', async (text) => {
  expect(await complaintsAbout('page.md', text)).toEqual([])
})
