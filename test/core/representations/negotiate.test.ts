import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Renderer } from '../../../src/core/ports/representations.ts'
import { NotAcceptable, NotFound } from '../../../src/core/errors/api-errors.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { Negotiation } from '../../../src/core/representations/negotiate.ts'
import { explicitlyAccepts } from '../../../src/core/std/http/media-type.ts'
import { expectLinear } from '../../setup/linear.ts'

const JSON_HTML = ['application/json json', 'text/html api']
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('the choice of a renderer', () => {
  test.each<[title: string, offers: string[], accept: string | null, chosen: string]>([
    ['N10 a missing header accepts everything', JSON_HTML, null, 'application/json'],
    ['N21 */* is answered by the first', JSON_HTML, '*/*', 'application/json'],
    ['N21 a browser gets HTML', JSON_HTML, BROWSER, 'text/html'],
    [
      'N21 the order of the server decides between equals',
      JSON_HTML,
      'application/json, text/html',
      'application/json',
    ],
    [
      'N13 whatever the order of the client',
      JSON_HTML,
      'text/html, application/json',
      'application/json',
    ],
    ['N12 a full type beats a wildcard', JSON_HTML, '*/*, text/html', 'text/html'],
    ['N12 type/* beats */*', JSON_HTML, '*/*, text/*', 'text/html'],
    [
      'N12 parameters make a type more specific',
      ['a/json json', 'text/plain txt'],
      'a/json, text/plain; charset=utf-8',
      'text/plain',
    ],
    ['N14 case does not matter', JSON_HTML, 'TEXT/HTML', 'text/html'],
    [
      'N14 parameters the renderer does not name do not matter',
      JSON_HTML,
      'text/html; level=1',
      'text/html',
    ],
    [
      'N14 a renderer with parameters is asked for by them',
      ['a/b;version=2 v2', 'a/b v1'],
      'a/b; version=2',
      'a/b',
    ],
    [
      'I13 a higher q beats the order of the server',
      JSON_HTML,
      'application/json;q=0.5, text/html',
      'text/html',
    ],
    [
      'I13 a higher q beats specificity',
      JSON_HTML,
      'text/html;q=0.1, application/*;q=0.2',
      'application/json',
    ],
    [
      'I13 the most specific range judges, not the most generous',
      JSON_HTML,
      'application/json;q=0.1, */*;q=0.5',
      'text/html',
    ],
    ['I13 q=0 refuses one type of many', JSON_HTML, 'application/json;q=0, */*', 'text/html'],
    ['I13 wherever it stands', JSON_HTML, '*/*, application/json;q=0', 'text/html'],
    [
      'I13 of equally specific ranges the heavier judges',
      JSON_HTML,
      'text/html;q=0.9, application/json;a=1;q=0.1, application/json;a=2',
      'application/json',
    ],
    ['N14 a wildcard renderer serves anything', ['image/* image'], 'image/png', 'image/png'],
    ['N15 and has its own type where nothing more is known', ['image/* image'], '*/*', 'image/*'],
    ['unreadable elements spoil nothing', JSON_HTML, 'json, ;;, "\\, ", text/html', 'text/html'],
  ])('%s', (_, offers, accept, chosen) => {
    expect(negotiation(offers).select({ accept, format: null }).mediaType).toBe(chosen)
  })

  test.each([
    ['N20 another type', 'image/png'],
    ['N20 a longer name', 'application/jsonp'],
    ['N10 a present but empty header', ''],
    ['N10 a header of blanks', '  '],
    ['I13 everything refused', '*/*;q=0'],
    ['I13 everything offered refused', 'application/json;q=0, text/html;q=0.000'],
    ['what is no range at all', 'json'],
  ])('406: %s', (_, accept) => {
    expect(() => negotiation(JSON_HTML).select({ accept, format: null })).toThrow(NotAcceptable)
  })

  test('N14 a renderer with parameters is not found by */* or the bare type', () => {
    const only = negotiation(['application/vnd.x+json;version=2 json'])
    for (const accept of ['*/*', 'application/vnd.x+json', 'application/vnd.x+json;version=3']) {
      expect(() => only.select({ accept, format: null })).toThrow(NotAcceptable)
    }
  })

  test('an endpoint without renderers accepts nothing', () => {
    expect(() => negotiation([]).select({ accept: null, format: null })).toThrow(NotAcceptable)
  })

  test('a renderer whose media type is none refuses to start', () => {
    expect(() => negotiation(['json json'])).toThrow(ConfigurationError)
  })
})

describe('the format', () => {
  test.each<[title: string, accept: string | null, format: string | null, chosen: string]>([
    ['N2 chooses by name', null, 'api', 'api'],
    ['N2 an empty one is not said', null, '', 'json'],
    ['D44 wins over Accept', 'text/html', 'json', 'json'],
    ['D44 also over an Accept that fits nothing', 'image/png', 'api', 'api'],
    ['D44 also over an empty Accept', '', 'api', 'api'],
    ['D44 also over q=0', 'application/json;q=0', 'json', 'json'],
  ])('%s', (_, accept, format, chosen) => {
    expect(negotiation(JSON_HTML).select({ accept, format }).renderer.format).toBe(chosen)
  })

  test.each(['xml', 'json ', 'JSON', '0', 'constructor'])(
    'N3 an unknown one is 404: %j',
    (format) => {
      expect(() => negotiation(JSON_HTML).select({ accept: '*/*', format })).toThrow(NotFound)
    },
  )

  test('Accept chooses among renderers of one format', () => {
    const two = negotiation(['a/json json', 'b/json json', 'text/html api'])
    expect(two.select({ accept: 'b/json', format: 'json' }).mediaType).toBe('b/json')
    expect(two.select({ accept: 'text/html', format: 'json' }).mediaType).toBe('a/json')
  })
})

describe('the parameters agreed on', () => {
  test.each<[title: string, accept: string | null, format: string, expected: object]>([
    ['N15 come from a wildcard too', '*/*; indent=2', '', { indent: '2' }],
    [
      'V20 come from the range that won',
      'image/png; version=9, application/json; version=2',
      '',
      { version: '2' },
    ],
    [
      'V21 have lower-case names and no q',
      'application/json; q=0.5; VERSION=V1',
      '',
      { version: 'V1' },
    ],
    [
      'V23 a range with parameters is more specific',
      'application/json, application/json; version=v2',
      '',
      { version: 'v2' },
    ],
    [
      'D43 of equal ranges the first counts',
      'application/json;v=1, application/json;v=2',
      '',
      { v: '1' },
    ],
    ['are none where none are said', null, '', {}],
    [
      'come from Accept where a format is named and fits',
      'application/json; version=1',
      'json',
      { version: '1' },
    ],
    ['are none where a format is named and nothing fits', 'text/html; version=1', 'json', {}],
    [
      'come from a refused range where a format insists',
      'application/json; version=1; q=0',
      'json',
      { version: '1' },
    ],
  ])('%s', (_, accept, format, expected) => {
    expect({ ...negotiation(JSON_HTML).select({ accept, format }).parameters }).toEqual(expected)
  })

  test('are the own ones of a renderer whose format insists', () => {
    const only = negotiation(['a/b;version=2 json'])
    expect({ ...only.select({ accept: null, format: 'json' }).parameters }).toEqual({
      version: '2',
    })
  })
})

describe('many requests', () => {
  test('one text is judged once', () => {
    const choice = negotiation(JSON_HTML)
    const wish = { accept: BROWSER, format: null }
    expect(choice.select(wish)).toBe(choice.select({ ...wish }))
    expect(choice.select(wish)).not.toBe(choice.select({ ...wish, format: 'api' }))
  })

  test('thousands of texts are still judged rightly', () => {
    const choice = negotiation(JSON_HTML)
    for (let n = 0; n < 2000; n += 1) {
      const { renderer, parameters } = choice.select({ accept: `text/html; n=${n}`, format: null })
      expect([renderer.format, parameters['n']]).toEqual(['api', String(n)])
    }
  })

  test('very long texts are judged and not kept', () => {
    const wish = { accept: `text/html; x=${'a'.repeat(2000)}`, format: null }
    const choice = negotiation(JSON_HTML)
    expect(choice.select(wish)).toEqual(choice.select(wish))
    expect(choice.select(wish)).not.toBe(choice.select(wish))
  })

  test('no Accept and no format is more than not acceptable or not found', () => {
    const unit = fc.constantFrom(...'ahtml/*,;q=01."\\ ', 'text/html', 'application/json', 'é')
    const text = fc.option(fc.string({ unit, maxLength: 80 }))
    const choice = negotiation([...JSON_HTML, 'a/b;h=1 a'])
    fc.assert(
      fc.property(text, text, (accept, format) => {
        try {
          expect(choice.select({ accept, format }).renderer).toBeDefined()
        } catch (error) {
          expect(error instanceof NotAcceptable || error instanceof NotFound).toBe(true)
        }
      }),
    )
  })

  // The last two stopped DRF before 3.18.2.
  test.each([
    ['many types', (length: number) => 'a/b;q=0.1,'.repeat(length / 10)],
    ['many parameters', (length: number) => `a/b${';x=y'.repeat(length / 4)}`],
    ['a quoted text of semicolons', (length: number) => `a/b;x="${';'.repeat(length)}"`],
    ['many of them', (length: number) => `a/b;x="${';'.repeat(90)}",`.repeat(length / 100)],
  ])('long headers take time in proportion to their length: %s', async (_, headerOf) => {
    await expectLinear(
      (length) => {
        const asked = { accept: headerOf(length), format: null }
        expect(() => negotiation(JSON_HTML).select(asked)).toThrow(NotAcceptable)
      },
      { size: 16_000 },
    )
  })
})

describe('I12 a form that must be asked for', () => {
  test.each<[accept: string | null, expected: boolean]>([
    ['application/problem+json', true],
    ['Application/Problem+JSON; charset=utf-8', true],
    ['application/json, application/problem+json;q=0.1', true],
    ['application/problem+json;q=0', false],
    ['application/*', false],
    ['*/*', false],
    ['application/json', false],
    ['', false],
    [null, false],
  ])('%j: %s', (accept, expected) => {
    expect(explicitlyAccepts(accept, 'application/problem+json')).toBe(expected)
  })
})

/** One text per renderer: its media type and its format. */
function negotiation(offers: readonly string[]): Negotiation {
  return new Negotiation(
    offers.map((offer): Renderer => {
      const [mediaType = '', format = ''] = offer.split(' ')
      return { mediaType, format, render: () => '' }
    }),
  )
}
