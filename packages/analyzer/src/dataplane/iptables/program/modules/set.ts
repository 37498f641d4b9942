import { allOf, negateLiteralIf, UNKNOWN } from '../../../../program/literals.js'
import { hasOption } from '../module-options.js'
import type { MatchModule } from './match-module.js'

function isDirection(text: string): text is 'src' | 'dst' {
  return text === 'src' || text === 'dst'
}

const COUNTERS: readonly string[] = [
  ...['--packets-eq', '--packets-lt', '--packets-gt'],
  ...['--bytes-eq', '--bytes-lt', '--bytes-gt'],
]

export const set: MatchModule = {
  name: 'set',
  meanings: [
    {
      options: '--match-set',
      decision: 'decided',
      reason:
        'the elements of the set, also with `nomatch`; unknown if the dump does not contain the set, if an element cannot be read, or if elements have MAC addresses or masks',
    },
    {
      options: COUNTERS.join(', '),
      decision: 'partly',
      reason: 'does not match without an element; the counters of elements are not known',
    },
    {
      options: '--return-nomatch',
      decision: 'unknown',
      reason: 'elements with `nomatch` match, too; this is not followed',
    },
  ],
  syntax: {
    ...{ '--match-set': 2, '--set': 2, '--return-nomatch': 0, '--update-counters': 0, '--update-subcounters': 0 },
    ...Object.fromEntries(COUNTERS.map((name) => [name, 1])),
  },
  lower: (options, { lookUpSet }) => {
    const [lookup, ...others] = options.filter(({ name }) => name === '--match-set' || name === '--set')
    const [name, text = ''] = lookup?.values ?? []
    const directions = text.split(',')
    if (lookup === undefined || !name || others.length > 0 || !directions.every(isDirection)) return undefined
    if (hasOption(options, '--return-nomatch')) return [UNKNOWN]
    const isElement = lookUpSet(name, directions)
    const hasCounters = COUNTERS.some((counter) => hasOption(options, counter))
    return [negateLiteralIf(lookup.negated, hasCounters ? allOf([isElement, UNKNOWN]) : isElement)]
  },
}
